import type { JsonSchema } from '@pergola/api'
import { shortTime } from '../terminal/times.ts'
import { shortened } from '../terminal/visible.ts'

const mostColumns = 5
const widestCell = 40

/** Heads of the columns that every table has. */
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
 * Chooses the most informative fields: title, owner, state, due date. Uses only the schema, so that a list always has the same
 * columns.
 */
export function columnsOf(schema: JsonSchema, follow: FollowReference = () => undefined): readonly Column[] {
  const resolved = (part: unknown) => resolve(part, follow)
  const { spec, status, apiVersion: _, kind: __, metadata: ___, ...others } = propertiesOf(schema)
  const own =
    spec === undefined ? fieldsOf(others, [], resolved) : fieldsOf(propertiesOf(resolved(spec)), ['spec'], resolved)
  const phase = fieldsOf(propertiesOf(resolved(status)), ['status'], resolved).filter(({ name }) =>
    /^(phase|state)$/.test(name),
  )
  const ranked = own.toSorted((one, other) => one.rank - other.rank).slice(0, mostColumns - phase.length)
  const chosen = [...ranked, ...phase]
  const isTaken = (head: string, at: number) =>
    otherHeads.has(head) || chosen.slice(0, at).some(({ name }) => headOf(name) === head)
  return chosen.map(({ name, path, kind }, at) => ({
    head: isTaken(headOf(name), at) ? path.join('.').toUpperCase() : headOf(name),
    cellOf: (object) => cell(valueAt(object, path), kind),
  }))
}

interface Field {
  readonly name: string
  readonly path: readonly string[]
  readonly kind: 'text' | 'time' | 'named'
  readonly rank: number
}

function fieldsOf(
  properties: Readonly<Record<string, unknown>>,
  path: readonly string[],
  resolved: (part: unknown) => JsonSchema,
): readonly Field[] {
  return Object.entries(properties).flatMap(([name, part]) => {
    const schema = resolved(part)
    const kind = kindOf(schema, resolved)
    const rank = kind === undefined ? undefined : rankOf(name, schema)
    return kind === undefined || rank === undefined ? [] : [{ name, path: [...path, name], kind, rank }]
  })
}

function kindOf(schema: JsonSchema, resolved: (part: unknown) => JsonSchema): Field['kind'] | undefined {
  const { type, format, items } = schema
  if (format === 'date-time') return 'time'
  if (isScalar(schema)) return 'text'
  const inner = type === 'array' ? resolved(items) : schema
  if (isScalar(inner)) return 'text'
  return isScalar(resolved(propertiesOf(inner)['name'])) ? 'named' : undefined
}

function isScalar({ type, enum: choices }: JsonSchema): boolean {
  return Array.isArray(choices) || ['string', 'integer', 'number', 'boolean'].includes(String(type))
}

/** Lower is more informative; undefined excludes the field. */
function rankOf(name: string, schema: JsonSchema): number | undefined {
  const { type, enum: choices, format, writeOnly, pattern, maxLength } = schema
  if (writeOnly === true || /digest|hash|checksum/i.test(name)) return undefined
  if (/^(title|displayName|name|label|subject|summary)$/.test(name)) return 0
  if (/^(owner|author|user|username|assignee|requester|email)$/.test(name)) return 1
  if (Array.isArray(choices) || /^(state|phase|version)$/.test(name)) return 2
  if (type === 'object') return 2
  if (type === 'boolean') return 3
  if (format === 'date-time') return 4
  if (type === 'integer' || type === 'number') return 5
  if (type === 'array') return 7
  // Long text does not fit a table; codes say little.
  return pattern === undefined && Number(maxLength ?? 0) <= 500 ? 6 : 8
}

/** Converts `displayName` to `DISPLAY NAME`. */
function headOf(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase()
}

function cell(value: unknown, kind: Field['kind']): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) {
    return shortened(value.map((one) => scalarText(kind === 'named' ? nameIn(one) : one)).join(', '), widestCell)
  }
  const text = scalarText(kind === 'named' ? nameIn(value) : value)
  return shortened(kind === 'time' ? shortTime(text) : text, widestCell)
}

function scalarText(value: unknown): string {
  // Without the noise of binary fractions: 48.88, not 48.879999999999995.
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(15)))
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function nameIn(value: unknown): unknown {
  return isObject(value) ? value['name'] : value
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), object)
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return isObject(properties) ? properties : {}
}

/** Follows references. A dangling or circular one gives an empty schema. */
function resolve(part: unknown, follow: FollowReference): JsonSchema {
  let schema: unknown = part
  for (let steps = 0; steps < 8 && isObject(schema) && typeof schema['$ref'] === 'string'; steps++) {
    schema = follow(schema['$ref'])
  }
  return isObject(schema) ? schema : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
