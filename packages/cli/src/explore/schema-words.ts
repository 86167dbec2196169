import type { JsonSchema } from '@pergola/api'
import { isObject, resolveSchema, type FollowReference } from '../objects/schema-at.ts'

/** The type of a field in a few words: `string, date-time`, `list of integer`, `map of string`. */
export function typeWords(schema: JsonSchema, follow: FollowReference): string {
  const alternatives = ['anyOf', 'oneOf'].flatMap((word) => partsOf(schema[word], follow))
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length === 0 && alternatives.length > 0) {
    return [...new Set(alternatives.map((part) => typeWords(part, follow)))].join(' or ')
  }
  const named = types.filter((type) => type !== 'null').map((type) => nameOf(type, schema, follow))
  const words = named.length > 0 ? named : [typeOfValues(schema)]
  return [...words, ...(types.includes('null') ? ['null'] : [])].join(' or ')
}

function partsOf(parts: unknown, follow: FollowReference): readonly JsonSchema[] {
  return Array.isArray(parts) ? parts.map((part) => resolveSchema(part, follow)) : []
}

function nameOf(type: string, schema: JsonSchema, follow: FollowReference): string {
  const { format, items, additionalProperties: others } = schema
  if (type === 'array') return `list of ${typeWords(resolveSchema(items, follow), follow)}`
  if (type === 'object' && isObject(others) && !isObject(schema['properties'])) {
    return `map of ${typeWords(resolveSchema(others, follow), follow)}`
  }
  return typeof format === 'string' ? `${type}, ${format}` : type
}

/** The type of a schema that only has `enum`, `const` or `properties`. */
function typeOfValues(schema: JsonSchema): string {
  const values = [schema['enum'] ?? ('const' in schema ? [schema['const']] : [])].flat()
  const types = [...new Set(values.map((value) => typeof value))]
  if (types.length > 0) return types.join(' or ')
  return 'properties' in schema ? 'object' : 'any'
}

/** What a value has to be, beside its type, as sentences for people. */
export function constraintWords(schema: JsonSchema): readonly string[] {
  const words = [
    range(schema, ['minLength', 'maxLength'], 'characters'),
    range(schema, ['minimum', 'maximum'], ''),
    limit(schema, 'exclusiveMinimum', 'more than'),
    limit(schema, 'exclusiveMaximum', 'less than'),
    limit(schema, 'multipleOf', 'a multiple of'),
    limit(schema, 'pattern', 'matches'),
    range(schema, ['minItems', 'maxItems'], 'items'),
    schema['uniqueItems'] === true ? 'no item twice' : '',
    range(schema, ['minProperties', 'maxProperties'], 'fields'),
    schema['readOnly'] === true ? 'set by the server' : '',
  ]
  return words.filter((word) => word !== '')
}

function range(schema: JsonSchema, [least, most]: readonly [string, string], unit: string): string {
  const { [least]: from, [most]: to } = schema
  if (from === undefined && to === undefined) return ''
  const numbers =
    from === undefined
      ? `at most ${valueWords(to)}`
      : to === undefined
        ? `at least ${valueWords(from)}`
        : `${valueWords(from)} to ${valueWords(to)}`
  return `${numbers} ${unit}`.trimEnd()
}

function limit(schema: JsonSchema, word: string, text: string): string {
  return schema[word] === undefined ? '' : `${text} ${valueWords(schema[word])}`
}

/** Text as it is, everything else as JSON. */
export function valueWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The values of an enum, or the only one. */
export function valuesOf(schema: JsonSchema): readonly unknown[] {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : []
}
