import { referencedSchema, type JsonSchema } from './object-schema.ts'

/** Makes a schema refuse unknown fields, at every depth where the schema itself does not say which ones it allows. */
export function closeSchema(schema: JsonSchema): JsonSchema {
  const definitions = (schema['$defs'] ?? {}) as Definitions
  const closed = close(schema, definitions) as JsonSchema
  return '$defs' in schema
    ? { ...closed, $defs: mapValues(definitions, (one) => closeInside(one, definitions)) }
    : closed
}

/**
 * Keywords that combine schemas for one value; none of them alone may refuse fields that another one names. Schemas that only
 * test a value (`if`, `not`, `contains`) stay open: closed, they would test for more than they say.
 */
const besides = ['allOf', 'anyOf', 'oneOf'] as const
const branches = ['then', 'else'] as const
const composing = [...besides, ...branches, '$ref', 'if', 'not', 'dependentSchemas'] as const

type Definitions = Readonly<Record<string, JsonSchema>>

/** Closes a schema that describes a value on its own. */
function close(schema: unknown, definitions: Definitions): unknown {
  if (!isObject(schema)) return schema
  const inside = closeInside(schema, definitions)
  if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) return inside
  if (composing.some((keyword) => keyword in schema)) {
    return namesFields(schema, definitions) ? { ...inside, unevaluatedProperties: false } : inside
  }
  return 'properties' in schema ? { ...inside, additionalProperties: false } : inside
}

/**
 * Closes the values below a schema but not the schema itself. Fields that are also described elsewhere stay open, because this
 * schema describes only a part of them.
 */
function closeInside(schema: unknown, definitions: Definitions, elsewhere: readonly string[] = []): JsonSchema {
  if (!isObject(schema)) return schema as JsonSchema
  const closed: Record<string, unknown> = { ...schema }
  const others = [...elsewhere, ...fieldsOf(referencedSchema(schema['$ref'], definitions), definitions)]
  for (const keyword of ['properties', 'patternProperties']) {
    if (!isObject(closed[keyword])) continue
    closed[keyword] = mapValues(closed[keyword], (one, field) =>
      others.includes(field) ? one : close(one, definitions),
    )
  }
  for (const keyword of ['items', 'additionalProperties', 'unevaluatedProperties']) {
    if (isObject(closed[keyword])) closed[keyword] = close(closed[keyword], definitions)
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
    if (isObject(schema[keyword])) parts[keyword] = inPart(schema[keyword], named)
  }
  if (isObject(schema['dependentSchemas'])) {
    parts['dependentSchemas'] = mapValues(schema['dependentSchemas'], (one) => inPart(one, named))
  }
  return parts
}

/** The fields that a schema describes unconditionally. */
function fieldsOf(schema: unknown, definitions: Definitions, seen = new Set<unknown>()): readonly string[] {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const together: readonly unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  const parts = [referencedSchema(schema['$ref'], definitions), ...together]
  return [...Object.keys(ownProperties(schema)), ...parts.flatMap((part) => fieldsOf(part, definitions, seen))]
}

function ownProperties({ properties }: JsonSchema): JsonSchema {
  return isObject(properties) ? properties : {}
}

/** Whether some part of a composed schema names fields; if none does, any are allowed. */
function namesFields(schema: unknown, definitions: Definitions, seen = new Set<unknown>()): boolean {
  if (!isObject(schema) || seen.has(schema)) return false
  seen.add(schema)
  if ('properties' in schema) return true
  const parts = [
    ...besides.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...branches.map((keyword) => schema[keyword]),
    ...(isObject(schema['dependentSchemas']) ? Object.values(schema['dependentSchemas']) : []),
    referencedSchema(schema['$ref'], definitions),
  ]
  return parts.some((part) => namesFields(part, definitions, seen))
}

function mapValues<T>(
  values: Readonly<Record<string, unknown>>,
  map: (value: unknown, key: string) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
