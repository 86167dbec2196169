import type { JsonSchema } from '@pergola/api'
import { resolveSchema, type FollowReference } from './schema-at.ts'

/**
 * Reads a value from text, by the schema of its field: `3` is a text where the schema says `string`. A list is written as JSON
 * or with commas. Text that does not fit stays text, so that the server names the field and what it must be.
 */
export function textValue(text: string, schema: JsonSchema, follow: FollowReference): unknown {
  const types = typesOf(schema, follow)
  const isAnything = types.length === 0
  if (types.includes('string') && !(types.includes('null') && text === 'null')) return text
  const parsed = parsedJson(text)
  if (parsed !== undefined && (isAnything || types.includes(typeOf(parsed)))) return parsed
  if (!types.includes('array')) return text
  const items = resolveSchema(schema['items'], follow)
  return text === '' ? [] : text.split(',').map((one) => textValue(one.trim(), items, follow))
}

/** All types that a value may have, also of alternatives and of enums. */
function typesOf(schema: JsonSchema, follow: FollowReference): readonly string[] {
  const parts = ['anyOf', 'oneOf'].flatMap((word) => (Array.isArray(schema[word]) ? (schema[word] as unknown[]) : []))
  const values =
    'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : []
  const named = [schema['type']].flat().filter((type) => typeof type === 'string')
  const types = [
    ...named,
    ...(named.length === 0 ? values.map(typeOf) : []),
    ...parts.flatMap((part) => typesOf(resolveSchema(part, follow), follow)),
  ]
  return types.flatMap((type) => (type === 'integer' ? ['number'] : [type]))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
