export type JsonSchema = Readonly<Record<string, unknown>>

/** What a model says of its objects: everything but `apiVersion`, `kind` and `metadata`, which all share. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

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

/** Where schemas stand side by side for one value; each alone may not refuse what another one names. */
const besides = ['allOf', 'anyOf', 'oneOf'] as const
const branches = ['if', 'then', 'else', 'not'] as const

type Definitions = Readonly<Record<string, JsonSchema>>

/** A schema that stands for a value of its own. */
function close(schema: unknown, definitions: Definitions): unknown {
  if (!isSchema(schema)) return schema
  const inside = closeInside(schema, definitions)
  if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) return inside
  const isComposed = '$ref' in schema || [...besides, ...branches].some((keyword) => keyword in schema)
  if (isComposed) return namesFields(schema, definitions) ? { ...inside, unevaluatedProperties: false } : inside
  return 'properties' in schema ? { ...inside, additionalProperties: false } : inside
}

/** The same schema with the values below it closed, itself left as open as it is. */
function closeInside(schema: unknown, definitions: Definitions): JsonSchema {
  if (!isSchema(schema)) return schema as JsonSchema
  const closed: Record<string, unknown> = { ...schema }
  for (const keyword of ['properties', 'patternProperties']) {
    if (isSchema(closed[keyword])) closed[keyword] = mapValues(closed[keyword], (one) => close(one, definitions))
  }
  for (const keyword of ['items', 'additionalProperties', 'unevaluatedProperties', 'contains']) {
    if (isSchema(closed[keyword])) closed[keyword] = close(closed[keyword], definitions)
  }
  if (Array.isArray(closed['prefixItems']))
    closed['prefixItems'] = closed['prefixItems'].map((one) => close(one, definitions))
  for (const keyword of besides) {
    if (Array.isArray(closed[keyword])) closed[keyword] = closed[keyword].map((one) => closeInside(one, definitions))
  }
  for (const keyword of branches) {
    if (isSchema(closed[keyword])) closed[keyword] = closeInside(closed[keyword], definitions)
  }
  return closed
}

/** Whether some part of a composed schema names fields; where none does, any are allowed. */
function namesFields(schema: unknown, definitions: Definitions, seen: readonly unknown[] = []): boolean {
  if (!isSchema(schema) || seen.includes(schema)) return false
  if ('properties' in schema) return true
  const parts = [
    ...besides.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...branches.map((keyword) => schema[keyword]),
    definitionOf(schema['$ref'], definitions),
  ]
  return parts.some((part) => namesFields(part, definitions, [...seen, schema]))
}

export function definitionOf(reference: unknown, definitions: Definitions): unknown {
  const [, name] = typeof reference === 'string' ? (/^#\/\$defs\/([^/]+)$/.exec(reference) ?? []) : []
  return name === undefined ? undefined : definitions[name.replaceAll('~1', '/').replaceAll('~0', '~')]
}

/** What says which fields there are and of which types. Everything else constrains values. */
const structural = new Set(['type', 'required', 'additionalProperties', '$ref', '$defs', 'default'])
const structuralMaps = new Set(['properties', 'patternProperties', '$defs'])
const structuralSchemas = new Set(['items', 'additionalProperties'])
const structuralLists = new Set(['prefixItems', 'allOf'])

/** The part of a closed schema that the first phase checks. */
export function structureOf(schema: unknown): JsonSchema {
  if (!isSchema(schema)) return schema as JsonSchema
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (structuralMaps.has(keyword) && isSchema(value)) return [[keyword, mapValues(value, structureOf)]]
    if (structuralSchemas.has(keyword) && isSchema(value)) return [[keyword, structureOf(value)]]
    if (structuralLists.has(keyword) && Array.isArray(value)) return [[keyword, value.map(structureOf)]]
    return structural.has(keyword) ? [[keyword, value]] : []
  })
  return Object.fromEntries(kept)
}

export function isSchema(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapValues<T>(
  values: Readonly<Record<string, unknown>>,
  map: (value: unknown) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
