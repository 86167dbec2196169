import { closeSchema, type JsonSchema, type ObjectSchema } from '@pergola/api'
import { isJsonObject } from '../base/json-object.ts'

export type { JsonSchema, ObjectSchema } from '@pergola/api'

/** The schema of whole objects, which refuses unknown fields unless a location allows any. */
export function closedSchema({ properties, required = [], $defs = {} }: ObjectSchema): JsonSchema {
  return closeSchema({
    type: 'object',
    properties: { apiVersion: {}, kind: {}, metadata: {}, ...properties },
    required,
    ...(Object.keys($defs).length > 0 && { $defs }),
  })
}

/** Keywords that define fields and their types. All others constrain values. */
const structural = new Set(['type', 'required', 'additionalProperties', '$ref', '$defs', 'default'])
const structuralMaps = new Set(['properties', 'patternProperties', '$defs'])
const structuralSchemas = new Set(['items', 'additionalProperties'])
const structuralLists = new Set(['prefixItems', 'allOf'])

/** The part of a closed schema that the first stage checks. */
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
