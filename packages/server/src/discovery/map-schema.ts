import type { JsonSchema } from '@pergola/api'
import { isJsonObject } from '../base/json-object.ts'

/** Keywords whose value is never a schema; and those whose values are schemas by name. */
const valueKeywords = new Set(['const', 'enum', 'default', 'example', 'examples', 'x-display', 'x-reference'])
const mapKeywords = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

/** Applies `change` to every schema in the schema; outer schemas first. */
export function mapSchema(schema: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(schema)) return schema.map((one) => mapSchema(one, change))
  if (!isJsonObject(schema)) return schema
  const entries = Object.entries(change(schema)).map(([keyword, value]): [string, unknown] => {
    if (valueKeywords.has(keyword)) return [keyword, value]
    if (mapKeywords.has(keyword) && isJsonObject(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapSchema(one, change)]))]
    }
    return [keyword, mapSchema(value, change)]
  })
  return Object.fromEntries(entries)
}
