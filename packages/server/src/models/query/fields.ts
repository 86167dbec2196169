import { nearest, referencedSchema, type JsonSchema } from '@pergola/api'
import { isJsonObject } from '../../base/json-object.ts'
import type { Model } from '../model.ts'
import { queryFault } from './query-parameters.ts'

export const mostPaths = 100

/** The requested part of each object. */
export type Fields = (object: Buffer) => Buffer

/** The requested fields below a field, or all of it. */
type Asked = Map<string, Asked> | 'all'

/** Always included: they identify the object and its state. */
const always = ['apiVersion', 'kind', 'metadata.name', 'metadata.uid', 'metadata.version']
const ofMetadata =
  'name uid version generation creationTimestamp deletionTimestamp finalizers labels annotations'.split(' ')

/** Undefined if whole objects are requested. Throws for a path that the schema does not have. */
export function fieldsOf(model: Model, query: URLSearchParams): Fields | undefined {
  const said = query.getAll('fields')
  if (said.length === 0) return undefined
  const paths = said.flatMap((text) => text.split(',')).map((path) => path.trim())
  if (paths.length > mostPaths) throw queryFault('BadRequest', 'fields', `has more than ${mostPaths} paths`)
  const asked: Asked = new Map()
  for (const path of [...always, ...paths]) {
    const names = path.split('.')
    const fault = faultOf(model, names)
    if (fault !== undefined) throw queryFault('BadRequest', 'fields', `names "${path}", which ${fault}`)
    add(asked, names)
  }
  return (object) => Buffer.from(JSON.stringify(partOf(JSON.parse(object.toString()), asked)))
}

function add(asked: Map<string, Asked>, [name = '', ...below]: readonly string[]): void {
  const before = asked.get(name)
  if (before === 'all') return
  if (below.length === 0) {
    asked.set(name, 'all')
    return
  }
  const inside = before ?? new Map<string, Asked>()
  asked.set(name, inside)
  add(inside, below)
}

/** For a list, the requested part of each item. */
function partOf(value: unknown, asked: Asked): unknown {
  if (asked === 'all') return value
  if (Array.isArray(value)) return value.map((item) => partOf(item, asked))
  if (!isJsonObject(value)) return undefined
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) => {
      const below = asked.get(name)
      return below === undefined ? [] : [[name, partOf(inside, below)]]
    }),
  )
}

/** Why objects of the model cannot have such a field. */
function faultOf({ plural, definition: { schema } }: Model, names: readonly string[]): string | undefined {
  const [root = '', inMetadata, ...deeper] = names
  if (root === 'metadata') {
    if (inMetadata === undefined) return undefined
    if (!ofMetadata.includes(inMetadata)) return unknown(names.slice(0, 2), ofMetadata, plural)
    return deeper.length === 0 ? undefined : `is part of metadata.${inMetadata}, which is answered as a whole`
  }
  const tops: JsonSchema = { type: 'object', properties: { apiVersion: {}, kind: {}, ...schema.properties } }
  let parts = partsOf(tops, schema.$defs)
  for (const [at, name] of names.entries()) {
    const known = parts.flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : []))
    if (!known.includes(name)) {
      return isOpen(parts, known) ? undefined : unknown(names.slice(0, at + 1), known, plural)
    }
    const inside = parts.flatMap(({ properties }) => (isJsonObject(properties) ? [properties[name]] : []))
    parts = inside.flatMap((one) => partsOf(one, schema.$defs))
  }
  return undefined
}

function unknown(path: readonly string[], known: readonly string[], plural: string): string {
  const above = path.slice(0, -1)
  const meant = nearest(path.at(-1) ?? '', known)
  const hint = meant === undefined ? '' : `; did you mean ${[...above, meant].join('.')}?`
  return `is not a field of ${plural}${hint}`
}

const combining = ['allOf', 'anyOf', 'oneOf'] as const
const single = ['then', 'else', 'items'] as const

/** The schemas that describe a value together; those of its items for a list. */
function partsOf(
  schema: unknown,
  definitions: Readonly<Record<string, JsonSchema>> = {},
  seen = new Set<unknown>(),
): readonly JsonSchema[] {
  if (!isJsonObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const others = [
    referencedSchema(schema['$ref'], definitions),
    ...combining.flatMap((keyword) => (Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : [])),
    ...single.map((keyword) => schema[keyword]),
  ]
  return [schema, ...others.flatMap((one) => partsOf(one, definitions, seen))]
}

/** Whether the schema allows fields that it does not name. */
function isOpen(parts: readonly JsonSchema[], known: readonly string[]): boolean {
  return parts.some(allowsOthers) || (known.length === 0 && parts.some(mayHaveFields))
}

function allowsOthers(schema: JsonSchema): boolean {
  return ['additionalProperties', 'unevaluatedProperties', 'patternProperties'].some(
    (keyword) => keyword in schema && schema[keyword] !== false,
  )
}

function mayHaveFields({ type, ...rest }: JsonSchema): boolean {
  return type === undefined ? !('items' in rest) && !('$ref' in rest) : [type].flat().includes('object')
}
