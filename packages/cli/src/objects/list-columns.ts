import { defaultTitlePaths, type FieldDisplay, type JsonSchema } from '@pergola/api'
import type { KnownResource } from '../server/resources.ts'
import { shortTime } from '../terminal/times.ts'
import { shortened } from '../terminal/visible.ts'

export const widestCell = 40

/** Headings of the columns that every table has. */
const otherHeads = new Set(['NAME', 'AGE'])

/** A table column besides name and age. */
export interface Column {
  readonly head: string
  /** Text of the cell; empty without a value. */
  readonly cellOf: (object: object) => string
}

/** Resolves a schema reference. */
export type FollowReference = (reference: string) => JsonSchema | undefined

/**
 * The title, then the columns of the model's `display`, by default its indexed fields. Uses only the schema, so that a list
 * always has the same columns.
 */
export function columnsOf(
  { display = {}, indexes }: Pick<KnownResource, 'display' | 'indexes'>,
  schema: JsonSchema,
  follow: FollowReference = () => undefined,
): readonly Column[] {
  const fieldAt = (path: string) => schemaAt(schema, path.split('.'), follow)
  const isText = (path: string) => [fieldAt(path)?.['type']].flat().includes('string')
  const { title = defaultTitlePaths.find(isText), columns = indexes.map(({ name }) => name) } = display
  const paths = [...new Set([...(title === undefined ? [] : [title]), ...columns])]
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

/** The schema at a path, also inside array items; undefined if the path does not exist. */
function schemaAt(schema: JsonSchema, path: readonly string[], follow: FollowReference): JsonSchema | undefined {
  let found: JsonSchema | undefined = schema
  for (const step of path) {
    const holder: JsonSchema = 'items' in found ? resolve(found['items'], follow) : found
    const { properties } = holder
    if (!isObject(properties) || !Object.hasOwn(properties, step)) return undefined
    found = resolve(properties[step], follow)
  }
  return found
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

/** Follows references and keeps keywords beside `$ref`. A dangling or circular reference gives an empty schema. */
function resolve(part: unknown, follow: FollowReference): JsonSchema {
  let schema: unknown = part
  for (let steps = 0; steps < 8 && isObject(schema) && typeof schema['$ref'] === 'string'; steps++) {
    const { $ref, ...beside } = schema
    const target = follow($ref)
    schema = target && { ...target, ...beside }
  }
  return isObject(schema) && !('$ref' in schema) ? schema : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
