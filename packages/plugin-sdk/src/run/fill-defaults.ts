import { referencedSchema, type JsonSchema } from '@pergola/api'

/**
 * Fills in defaults in place, below `properties`, `items`, `allOf` and `$ref`, where a schema applies unconditionally. The host
 * fills in defaults on write; objects stored before a default was declared lack it.
 */
export function fillDefaults<Value>(schema: unknown, value: Value): Value {
  if (isObject(schema)) {
    const definitions = isObject(schema['$defs']) ? (schema['$defs'] as Frame['definitions']) : {}
    fill(schema, value, { definitions, references: 0 })
  }
  return value
}

interface Frame {
  readonly definitions: Readonly<Record<string, JsonSchema>>
  /** Number of schemas followed by `$ref` and `allOf` for the current value. */
  readonly references: number
}

/** Ends the recursion in a schema that references itself for the same value. */
const maxReferences = 32

function fill(schema: JsonSchema, value: unknown, { definitions, references }: Frame): void {
  if (typeof value !== 'object' || value === null || references > maxReferences) return
  const { $ref, allOf, properties, items } = schema
  const schemasOfValue = [referencedSchema($ref, definitions), ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])]
  for (const part of schemasOfValue) if (isObject(part)) fill(part, value, { definitions, references: references + 1 })
  const below = { definitions, references: 0 }
  if (Array.isArray(value)) {
    if (isObject(items)) for (const item of value) fill(items, item, below)
    return
  }
  const object = value as Record<string, unknown>
  for (const [name, field] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(field)) continue
    if (Object.hasOwn(object, name) && object[name] !== undefined) fill(field, object[name], below)
    else if (field['default'] !== undefined) object[name] = structuredClone(field['default'])
  }
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
