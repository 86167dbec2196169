import type { FieldError } from '@pergola/client'
import { fieldErrorWords } from '../server/field-errors.ts'
import { language, words } from '../words/words.ts'
import { cellText } from './cell-text.ts'
import { formatDate, valueWords } from './format.ts'
import { localFault } from './local-faults.ts'
import type { Schema, Widget } from './schema.ts'

/** The error of a value: the server's, else one found locally. */
export function wrongWith(value: unknown, schema: Schema, told: readonly FieldError[]): string | undefined {
  if (told.length > 0) return told.map(fieldErrorWords).join(' ')
  const fault = localFault(schema, value)
  return fault && words.value.rules[fault.rule]?.('limit' in fault ? { limit: fault.limit } : {})
}

/** The hint below a field. */
export function hintOf(value: unknown, { description, maxLength }: Schema, widget: Widget): string | undefined {
  const typed = typeof value === 'string' ? value.length : 0
  const isCounted = widget === 'long-text' && maxLength !== undefined
  const parts = [description, isCounted ? words.value.form.counted(typed, maxLength) : undefined]
  return parts.filter((part) => part !== undefined).join(' ') || undefined
}

/** A former value as the text of "was …". */
export function wasWords(original: unknown, widget: Widget): string {
  if (original === undefined || original === null || original === '') return words.value.object.none
  if (widget === 'choice' && typeof original === 'string') return valueWords(original)
  const isDay = (widget === 'date' || widget === 'time') && typeof original === 'string'
  if (isDay) return formatDate(original, language.value, widget === 'time')
  return cellText(original, words.value.object)
}
