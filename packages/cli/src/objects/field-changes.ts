import { isDeepStrictEqual } from 'node:util'
import { padded, textWidth } from '../terminal/text-width.ts'
import { shortened } from '../terminal/visible.ts'

export interface FieldChange {
  /** Path of the field: `spec.tags[1]`. */
  readonly field: string
  /** `before` and `after` are undefined when the field is absent. */
  readonly before: unknown
  readonly after: unknown
}

/** Lists the smallest differing parts. Arrays of different length count as one part. */
export function fieldChanges(before: unknown, after: unknown, field = ''): readonly FieldChange[] {
  if (isDeepStrictEqual(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => fieldChanges(before[name], after[name], pathOf(field, name)))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((value: unknown, at) => fieldChanges(value, after[at], `${field}[${at}]`))
  }
  return [{ field, before, after }]
}

const mostLines = 12
const widestValue = 48

/** Formats one change per line: `spec.state  open -> done`. */
export function changeLines(
  changes: readonly FieldChange[],
  isSecret: (field: string) => boolean = () => false,
): readonly string[] {
  const shown = changes.slice(0, mostLines)
  const width = Math.max(0, ...shown.map(({ field }) => textWidth(field)))
  const more = changes.length - shown.length
  return [
    ...shown.map(({ field, before, after }) => {
      const words = isSecret(field) ? secretWords({ before, after }) : changeWords({ before, after })
      return `${padded(shortened(field, 80), width)}  ${words}`
    }),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

function changeWords({ before, after }: Omit<FieldChange, 'field'>): string {
  if (before === undefined) return `+ ${valueWords(after)}`
  if (after === undefined) return `- ${valueWords(before)}`
  return `${valueWords(before)} -> ${valueWords(after)}`
}

function secretWords({ before, after }: Omit<FieldChange, 'field'>): string {
  if (before === undefined) return '+ (not shown)'
  return after === undefined ? '- (not shown)' : 'another value (not shown)'
}

function valueWords(value: unknown): string {
  return shortened(typeof value === 'string' && value !== '' ? value : JSON.stringify(value), widestValue)
}

function pathOf(field: string, name: string): string {
  const step = /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
  if (field === '') return step
  return step === name ? `${field}.${step}` : `${field}[${step}]`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
