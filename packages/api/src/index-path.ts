import { referencedSchema, type ObjectSchema } from './object-schema.ts'

/** How an index compares values. `timestamp` is a string with `format: date-time`. */
export type IndexValueType = 'string' | 'number' | 'boolean' | 'timestamp'

/** Type of the values at an index path, derived from the schema. */
export interface IndexedPath {
  readonly type: IndexValueType
  /** True when the field is an array of values of this type. */
  readonly multi: boolean
}

const scalarTypes: Readonly<Record<string, IndexValueType>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
}

/**
 * Finds the field of an index path in the schema. Returns a `fault` that reads after the path when the field cannot be indexed.
 * `spec.lines[].sku` is the field of every item of an array of objects.
 */
export function resolveIndexPath(schema: ObjectSchema, path: string): IndexedPath | { readonly fault: string } {
  const steps = path.split('.')
  const [root] = steps
  if (root !== 'spec' && root !== 'status') return { fault: 'must begin with spec or status' }
  let found: unknown = { properties: schema.properties }
  let isOfItems = false
  for (const [at, step] of steps.entries()) {
    const key = step.endsWith('[]') ? step.slice(0, -2) : step
    const holder = resolved(found, schema)
    const { properties } = holder
    const known = isJsonObject(properties) ? properties : {}
    if (!Object.hasOwn(known, key)) {
      const place = steps.slice(0, at).join('.') || 'the schema'
      const hidden = hiddenFault(holder, place)
      if (hidden !== undefined) return { fault: `cannot be indexed: ${hidden}` }
      return { fault: `is not in the schema: ${place} has no property "${key}"` }
    }
    found = known[key]
    if (key === step) continue
    const { type, items } = resolved(found, schema)
    const place = [...steps.slice(0, at), key].join('.')
    if (isOfItems) return { fault: `cannot be indexed: ${place} is below another array; a path has one []` }
    if (!typesOf({ type }).includes('array'))
      return { fault: `cannot be indexed: ${place} is not an array; remove the []` }
    found = items
    isOfItems = true
  }
  const target = resolved(found, schema)
  if (isOfItems) {
    const type = keyTypeOf(target)
    return type ? { type, multi: true } : { fault: 'must be a string, a number or a boolean of each item' }
  }
  if (typesOf(target).includes('array')) {
    const type = keyTypeOf(resolved(target['items'], schema))
    return type ? { type, multi: true } : { fault: `cannot be indexed: ${hiddenFault(target, path) ?? mixedItems}` }
  }
  const type = keyTypeOf(target)
  if (type) return { type, multi: false }
  const hidden = hiddenFault(target, path)
  return { fault: hidden === undefined ? `must be ${indexable}` : `cannot be indexed: ${hidden}` }
}

const indexable = 'a string, a number, a boolean, or an array of one of them'
const mixedItems = 'its items are not all strings, numbers or booleans of one type'

/** Why the schema at the place hides its values from an index, and what to write instead. */
function hiddenFault(holder: Readonly<Record<string, unknown>>, place: string): string | undefined {
  const { items } = holder
  if (isJsonObject(items) && (typesOf(items).includes('object') || '$ref' in items || 'properties' in items)) {
    return `${place} is an array of objects; name a field of its items, such as ${place}[].name`
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    if (!(keyword in holder)) continue
    return `${place} uses ${keyword}; state one type, for a value that may be null as "type": ["number", "null"]`
  }
  return undefined
}

/** Follows `$ref`; a cycle ends at a schema already seen. */
function resolved(schema: unknown, { $defs = {} }: ObjectSchema): Readonly<Record<string, unknown>> {
  const seen = new Set<unknown>()
  let found = schema
  while (isJsonObject(found) && '$ref' in found && !seen.has(found)) {
    seen.add(found)
    found = referencedSchema(found['$ref'], $defs)
  }
  return isJsonObject(found) ? found : {}
}

function typesOf({ type, enum: allowed, const: only }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one) => one !== 'null').map(String)
  const values = Array.isArray(allowed) ? allowed : only === undefined ? [] : [only]
  return [...new Set(values.filter((value) => value !== null).map((value) => typeof value))]
}

function keyTypeOf(schema: Readonly<Record<string, unknown>>): IndexValueType | undefined {
  const types = [...new Set(typesOf(schema).map((type) => scalarTypes[type]))]
  const [type] = types
  if (types.length !== 1 || type === undefined) return undefined
  return type === 'string' && schema['format'] === 'date-time' ? 'timestamp' : type
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
