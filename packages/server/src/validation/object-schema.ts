import { referencedSchema, type JsonSchema, type ObjectSchema } from '@pergola/api'
import { isJsonObject } from '../base/json-object.ts'

export type { JsonSchema, ObjectSchema } from '@pergola/api'

/** The schema of whole objects, in which a field that is not named is refused unless its place allows any. */
export function closedSchema({ properties, required = [], $defs = {} }: ObjectSchema): JsonSchema {
  const definitions = mapValues($defs, (schema) => closeInside(schema, $defs))
  return {
    type: 'object',
    properties: { apiVersion: {}, kind: {}, metadata: {}, ...mapValues(properties, (schema) => close(schema, $defs)) },
    required,
    additionalProperties: false,
    ...(Object.keys($defs).length > 0 && { $defs: definitions }),
  }
}

/**
 * Where schemas stand side by side for one value; each alone may not refuse what another one names. What only tests a value
 * (`if`, `not`, `contains`) is left as it is: closed, it would test for more than it says.
 */
const besides = ['allOf', 'anyOf', 'oneOf'] as const
const branches = ['then', 'else'] as const
const composing = [...besides, ...branches, '$ref', 'if', 'not', 'dependentSchemas'] as const

type Definitions = Readonly<Record<string, JsonSchema>>

/** A schema that stands for a value of its own. */
function close(schema: unknown, definitions: Definitions): unknown {
  if (!isJsonObject(schema)) return schema
  const inside = closeInside(schema, definitions)
  if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) return inside
  if (composing.some((keyword) => keyword in schema)) {
    return namesFields(schema, definitions) ? { ...inside, unevaluatedProperties: false } : inside
  }
  return 'properties' in schema ? { ...inside, additionalProperties: false } : inside
}

/**
 * The same schema with the values below it closed, itself left as open as it is; and open too stay the fields that are
 * described elsewhere, of which this schema says only a part.
 */
function closeInside(schema: unknown, definitions: Definitions, elsewhere: readonly string[] = []): JsonSchema {
  if (!isJsonObject(schema)) return schema as JsonSchema
  const closed: Record<string, unknown> = { ...schema }
  const others = [...elsewhere, ...fieldsOf(referencedSchema(schema['$ref'], definitions), definitions)]
  for (const keyword of ['properties', 'patternProperties']) {
    if (!isJsonObject(closed[keyword])) continue
    closed[keyword] = mapValues(closed[keyword], (one, field) =>
      others.includes(field) ? one : close(one, definitions),
    )
  }
  for (const keyword of ['items', 'additionalProperties', 'unevaluatedProperties']) {
    if (isJsonObject(closed[keyword])) closed[keyword] = close(closed[keyword], definitions)
  }
  if (Array.isArray(closed['prefixItems']))
    closed['prefixItems'] = closed['prefixItems'].map((one) => close(one, definitions))
  return { ...closed, ...closedParts(schema, definitions, [...others, ...Object.keys(ownProperties(schema))]) }
}

function closedParts(schema: JsonSchema, definitions: Definitions, elsewhere: readonly string[]): JsonSchema {
  const parts: Record<string, unknown> = {}
  const together: readonly unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  const named = together.map((part) => fieldsOf(part, definitions))
  const inPart = (part: unknown, besidesIt: readonly (readonly string[])[]) =>
    closeInside(part, definitions, [...elsewhere, ...besidesIt.flat()])
  for (const keyword of besides) {
    if (!Array.isArray(schema[keyword])) continue
    parts[keyword] = schema[keyword].map((one, at) => inPart(one, keyword === 'allOf' ? named.toSpliced(at, 1) : named))
  }
  for (const keyword of branches) {
    if (isJsonObject(schema[keyword])) parts[keyword] = inPart(schema[keyword], named)
  }
  if (isJsonObject(schema['dependentSchemas'])) {
    parts['dependentSchemas'] = mapValues(schema['dependentSchemas'], (one) => inPart(one, named))
  }
  return parts
}

/** The fields that a schema describes whatever the value is. */
function fieldsOf(schema: unknown, definitions: Definitions, seen = new Set<unknown>()): readonly string[] {
  if (!isJsonObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const together: readonly unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  const parts = [referencedSchema(schema['$ref'], definitions), ...together]
  return [...Object.keys(ownProperties(schema)), ...parts.flatMap((part) => fieldsOf(part, definitions, seen))]
}

function ownProperties({ properties }: JsonSchema): JsonSchema {
  return isJsonObject(properties) ? properties : {}
}

/** Whether some part of a composed schema names fields; where none does, any are allowed. */
function namesFields(schema: unknown, definitions: Definitions, seen = new Set<unknown>()): boolean {
  if (!isJsonObject(schema) || seen.has(schema)) return false
  seen.add(schema)
  if ('properties' in schema) return true
  const parts = [
    ...besides.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...branches.map((keyword) => schema[keyword]),
    ...(isJsonObject(schema['dependentSchemas']) ? Object.values(schema['dependentSchemas']) : []),
    referencedSchema(schema['$ref'], definitions),
  ]
  return parts.some((part) => namesFields(part, definitions, seen))
}

/** What says which fields there are and of which types. Everything else constrains values. */
const structural = new Set(['type', 'required', 'additionalProperties', '$ref', '$defs', 'default'])
const structuralMaps = new Set(['properties', 'patternProperties', '$defs'])
const structuralSchemas = new Set(['items', 'additionalProperties'])
const structuralLists = new Set(['prefixItems', 'allOf'])

/** The part of a closed schema that the first phase checks. */
export function structureOf(schema: unknown): JsonSchema {
  if (!isJsonObject(schema)) return schema as JsonSchema
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (structuralMaps.has(keyword) && isJsonObject(value)) return [[keyword, mapValues(value, structureOf)]]
    if (structuralSchemas.has(keyword) && isJsonObject(value)) return [[keyword, structureOf(value)]]
    if (structuralLists.has(keyword) && Array.isArray(value)) return [[keyword, value.map(structureOf)]]
    return structural.has(keyword) ? [[keyword, value]] : []
  })
  return Object.fromEntries(kept)
}

function mapValues<T>(
  values: Readonly<Record<string, unknown>>,
  map: (value: unknown, key: string) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]))
}
