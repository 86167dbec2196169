import { defaultTitlePaths, type FieldDisplay, type JsonSchema } from '@pergola/api'
import type { KnownResource } from '../server/known-resource.ts'
import { shortTime } from '../terminal/times.ts'
import { shortened } from '../terminal/visible.ts'
import type { ReadSchema } from './read-schema.ts'
import { isObject, schemaAt } from './schema-at.ts'

export const widestCell = 40

/** Headings of the columns that every table has. */
const otherHeads = new Set(['NAME', 'AGE'])

/** A table column besides name and age. */
export interface Column {
  readonly head: string
  /** Text of the cell; empty without a value. */
  readonly cellOf: (object: object) => string
}

/**
 * The title, then the columns of the model's `display`, by default its indexed fields. Uses only the schema, so that a list
 * always has the same columns. Some may not be in the schema.
 */
export function columnPaths(
  { display = {}, indexes }: Pick<KnownResource, 'display' | 'indexes'>,
  { schema, follow }: ReadSchema,
): readonly string[] {
  const fieldAt = (path: string) => schemaAt(schema, path.split('.'), follow)
  const isText = (path: string) => [fieldAt(path)?.['type']].flat().includes('string')
  const { title = defaultTitlePaths.find(isText), columns = indexes.map(({ name }) => name) } = display
  return [...new Set([...(title === undefined ? [] : [title]), ...columns])]
}

/** A column for each path that the schema has. */
export function columnsAt(paths: readonly string[], { schema, follow }: ReadSchema): readonly Column[] {
  const fieldAt = (path: string) => schemaAt(schema, path.split('.'), follow)
  const shown = paths.flatMap((path) => {
    const field = path.startsWith('metadata.') ? undefined : fieldAt(path)
    return field ? [{ path, field, head: headOf(path, displayOf(field)) }] : []
  })
  const isTaken = (head: string, at: number) =>
    otherHeads.has(head) || shown.slice(0, at).some((other) => other.head === head)
  return shown.map(({ path, field, head }, at) => ({
    head: `${isTaken(head, at) ? path.toUpperCase() : head}${unitOf(displayOf(field))}`,
    cellOf: (object) => cell(valueAt(object, path.split('.')), field['format'] === 'date-time'),
  }))
}

function displayOf(field: JsonSchema): FieldDisplay {
  return isObject(field['x-display']) ? field['x-display'] : {}
}

/** The English label in capitals, or `DISPLAY NAME` for `spec.displayName`. */
export function headOf(path: string, { label }: FieldDisplay): string {
  const name = path.slice(path.lastIndexOf('.') + 1).replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
  return shortened(label?.['en'] ?? name, widestCell).toUpperCase()
}

function unitOf({ unit }: FieldDisplay): string {
  if (unit === undefined) return ''
  const text = typeof unit === 'string' ? unit : 'before' in unit ? unit.before : unit.after
  return ` (${shortened(text, widestCell)})`
}

function cell(value: unknown, isTime: boolean): string {
  const texts = [value].flat().map((one) => (isTime ? shortTime(scalarText(one)) : scalarText(one)))
  return shortened(texts.join(', '), widestCell)
}

/** A value in a cell: lists with commas, objects as JSON. */
export function cellText(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellText).join(', ')
  return isObject(value) ? JSON.stringify(value) : scalarText(value)
}

function scalarText(value: unknown): string {
  // Without binary rounding errors: 48.88, not 48.879999999999995.
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(15)))
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

export function valueAt(value: unknown, [step, ...below]: readonly string[]): unknown {
  if (step === undefined) return value
  if (Array.isArray(value)) return value.map((one) => valueAt(one, [step, ...below]))
  return isObject(value) ? valueAt(value[step], below) : undefined
}
