import type { FieldError } from '@pergola/client'
import { fieldErrorWords } from '../server/field-errors.ts'
import { language, words } from '../words/words.ts'
import { cellText } from './cell-text.ts'
import { formatDate, formatNumber, unitOf, valueWords } from './format.ts'
import { localFault } from './local-faults.ts'
import { widgetOf, type Schema, type Widget } from './schema.ts'

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

/** A value as text, formatted as its field is displayed. */
export function valueText(value: unknown, schema: Schema, whole: Schema = {}): string {
  if (value === undefined || value === null || value === '') return words.value.object.none
  const widget = widgetOf(schema, whole)
  if (widget === 'choice' && typeof value === 'string') return valueWords(value)
  if (typeof value === 'number') {
    const { before, after } = unitOf(schema['x-display'])
    return `${before} ${formatNumber(value, language.value, schema['x-display'])} ${after}`.trim()
  }
  const isDay = (widget === 'date' || widget === 'time') && typeof value === 'string'
  if (isDay) return formatDate(value, language.value, widget === 'time')
  return cellText(value, words.value.object)
}
