import type { JsonSchema } from '@pergola/api'
import type { Schema } from '../schema/infer.ts'
import type { Report } from './faults.ts'

/** TypeBox kinds that JSON Schema can express. A schema without a kind is plain JSON Schema. */
const sayableKinds = new Set([
  'Any',
  'Array',
  'Boolean',
  'Enum',
  'Integer',
  'Intersect',
  'Literal',
  'Never',
  'Null',
  'Number',
  'Object',
  'Record',
  'String',
  'TemplateLiteral',
  'Tuple',
  'Union',
  'Unknown',
])

const maxDepth = 32

/** Keywords whose value holds schemas by name, and those whose value is data. */
const mapKeywords = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])
const dataKeywords = new Set(['const', 'enum', 'default', 'example', 'examples', 'display', 'x-display', 'x-reference'])

/**
 * Converts a schema to a JSON document. Reports everything that JSON cannot express, because a check that is silently dropped
 * is worse than an error.
 */
export function plainSchema(schema: Schema, where: string, report: Report): JsonSchema {
  return plainObject(schema, { root: where, where, report, depth: 0, holds: 'schema' })
}

/** True when values of this schema are stored encrypted. */
export function isSecret(schema: unknown): boolean {
  return isObject(schema) && schema['writeOnly'] === true
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Place {
  readonly root: string
  readonly where: string
  readonly report: Report
  readonly depth: number
  readonly holds: 'schema' | 'schemas' | 'data'
}

function plainObject(value: object, place: Place): JsonSchema {
  const marks = value as { readonly '~kind'?: unknown; readonly '~refine'?: unknown; readonly '~codec'?: unknown }
  const kind = marks['~kind']
  if (place.depth > maxDepth) {
    place.report(place.root, `is more than ${maxDepth} levels deep, or leads into itself; use $ref and $defs`)
    return {}
  }
  if (typeof kind === 'string' && !sayableKinds.has(kind)) {
    place.report(place.where, `${kind} cannot be represented in JSON; describe it by other types, or by a JSON Schema`)
  }
  if (marks['~refine'] !== undefined || marks['~codec'] !== undefined) {
    place.report(place.where, 'a function in a schema does not reach the host; use "check" of the model')
  }
  if ('requiredMode' in value && place.holds === 'schema') {
    const cure = 'name required fields in "required" of the object around them, or write t.Optional for the others'
    place.report(place.where, `"requiredMode" is not a keyword of schemas; ${cure}`)
  }
  const entries = Object.entries(value).filter(([keyword]) => !keyword.startsWith('~'))
  const plain = entries.map(([keyword, one]) => [keyword, plainValue(one, below(place, keyword))] as const)
  return place.holds === 'schema' ? asHostReads(Object.fromEntries(plain)) : Object.fromEntries(plain)
}

function plainValue(value: unknown, place: Place): unknown {
  if (value instanceof RegExp) {
    if (value.flags !== '') place.report(place.where, `the flags of ${value} are lost; write a pattern without flags`)
    return value.source
  }
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map((one, at) => plainValue(one, below(place, String(at))))
  if (typeof value === 'object' && value !== null) return plainObject(value, place)
  if (typeof value === 'function' || typeof value === 'symbol') {
    place.report(place.where, `a ${typeof value} cannot be represented in JSON; leave it out`)
    return undefined
  }
  return value
}

/** TypeBox writes tuples as in older drafts; the host expects `prefixItems`, and `x-display` for `display`. */
function asHostReads({ display, ...schema }: JsonSchema): JsonSchema {
  const shown = display === undefined ? schema : { ...schema, 'x-display': display }
  if (!Array.isArray(schema['items'])) return shown
  const { items, additionalItems = true, ...rest } = shown as JsonSchema
  return { ...rest, prefixItems: items, items: additionalItems }
}

function below(place: Place, keyword: string): Place {
  return { ...place, where: `${place.where}.${keyword}`, depth: place.depth + 1, holds: heldBy(place, keyword) }
}

function heldBy({ holds }: Place, keyword: string): Place['holds'] {
  if (holds === 'data') return 'data'
  if (holds === 'schemas') return 'schema'
  if (dataKeywords.has(keyword)) return 'data'
  return mapKeywords.has(keyword) ? 'schemas' : 'schema'
}
