import { isJsonObject } from '../base/json-object.ts'
import { nearest, referencedSchema, type FieldError } from '@pergola/api'
import { fieldError, limitError, step } from '../call/field-error.ts'
import { fieldDisplayErrors } from './field-display-errors.ts'
import { knownFormats } from './formats.ts'
import { instructionsOf, maxInstructions } from './linear-regexp.ts'
import type { JsonSchema } from './object-schema.ts'

export const maxSchemaBytes = 256 * 1024
export const maxSchemaDepth = 32
export const maxSubSchemas = 2_000
export const maxUniqueItems = 1_000

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const schemaKeywords = new Set([
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
])
const moreSchemaKeywords = new Set(['propertyNames', 'not', 'if', 'then', 'else'])
const listKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const mapKeywords = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])
/** Refused, because they would make the meaning of a schema depend on its location or name. */
export const refusedKeywords = new Set([
  '$id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$schema',
  '$vocabulary',
])

/** Annotations and keywords that check values; together with the ones above, the complete list. */
const otherKeywords =
  `$ref $comment title description default examples example deprecated readOnly writeOnly type enum const
  multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format contentEncoding
  contentMediaType contentSchema maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required
  dependentRequired dependencies nullable x-display x-reference`.split(/\s+/)
export const knownKeywords: ReadonlySet<string> = new Set([
  ...schemaKeywords,
  ...moreSchemaKeywords,
  ...listKeywords,
  ...mapKeywords,
  ...otherKeywords,
])

interface SubSchema {
  readonly schema: JsonSchema
  readonly pointer: string
  readonly depth: number
}

/** Everything in a model's schema that could be unsafe, slow or silently ignored; the compiler checks the rest. */
export function schemaErrors(schema: JsonSchema): readonly FieldError[] {
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > maxSchemaBytes) return [limitError('', { found: bytes, limit: maxSchemaBytes, unit: 'bytes' })]
  const definitions = isJsonObject(schema['$defs']) ? (schema['$defs'] as Record<string, JsonSchema>) : {}
  const errors: FieldError[] = []
  const weights = new Map<unknown, number>()
  const patterns = { instructions: 0 }
  let count = 0
  for (let level: readonly SubSchema[] = [{ schema, pointer: '', depth: 1 }]; level.length > 0;) {
    const deep = level.find(({ depth }) => depth > maxSchemaDepth)
    if (deep) return [limitError(deep.pointer, { found: deep.depth, limit: maxSchemaDepth, unit: 'levels' })]
    count += level.length
    if (count > maxSubSchemas) return [limitError('', { found: count, limit: maxSubSchemas, unit: 'sub-schemas' })]
    errors.push(...level.flatMap((place) => keywordErrors(place, definitions, patterns)))
    errors.push(...level.flatMap((place) => weightErrors(place, weightOf(place.schema, definitions, weights))))
    level = level.flatMap(subSchemas)
  }
  return errors
}

/** The schema itself and every schema in it. */
export function allSubSchemas(schema: JsonSchema): readonly SubSchema[] {
  const found: SubSchema[] = []
  for (let level: readonly SubSchema[] = [{ schema, pointer: '', depth: 1 }]; level.length > 0;) {
    found.push(...level)
    level = level.flatMap(subSchemas)
  }
  return found
}

function subSchemas({ schema, pointer, depth }: SubSchema): readonly SubSchema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = step(pointer, keyword)
    const place = (below: unknown, key?: string): readonly SubSchema[] =>
      isJsonObject(below) ? [{ schema: below, pointer: key === undefined ? at : step(at, key), depth: depth + 1 }] : []
    if (schemaKeywords.has(keyword) || moreSchemaKeywords.has(keyword)) return place(value)
    if (listKeywords.has(keyword) && Array.isArray(value)) return value.flatMap((one, at_) => place(one, String(at_)))
    if (mapKeywords.has(keyword) && isJsonObject(value))
      return Object.entries(value).flatMap(([key, one]) => place(one, key))
    return []
  })
}

function keywordErrors(
  { schema, pointer }: SubSchema,
  definitions: Readonly<Record<string, JsonSchema>>,
  spent: SpentOnPatterns,
): readonly FieldError[] {
  const errors: FieldError[] = []
  const add = (keyword: string, message: string) => errors.push(fieldError(step(pointer, keyword), 'schema', message))
  for (const keyword of Object.keys(schema)) {
    if (refusedKeywords.has(keyword)) add(keyword, 'may not be used in the schema of a model')
    else if (!knownKeywords.has(keyword)) add(keyword, unknownKeyword(keyword))
  }
  const { $ref, format, pattern, patternProperties, uniqueItems, maxItems } = schema
  if ($ref !== undefined && referencedSchema($ref, definitions) === undefined) {
    add('$ref', 'must point at a definition of this schema: #/$defs/<name>')
  }
  if (format !== undefined && !knownFormats.some((known) => known === format)) {
    add('format', `is not known; known are ${knownFormats.join(', ')}`)
  }
  if (uniqueItems === true && !(typeof maxItems === 'number' && maxItems <= maxUniqueItems)) {
    add('uniqueItems', `needs maxItems of at most ${maxUniqueItems} in the same schema`)
  }
  const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
  for (const one of [...(typeof pattern === 'string' ? [pattern] : []), ...patterns]) {
    const fault = patternFault(one, spent)
    if (fault !== undefined) add(one === pattern ? 'pattern' : 'patternProperties', fault)
  }
  return [...errors, ...fieldDisplayErrors(step(pointer, 'x-display'), { schema, definitions })]
}

function unknownKeyword(keyword: string): string {
  if (keyword === 'requiredMode')
    return 'is not a keyword of schemas; name the field in "required" of the object around it'
  const meant = nearest(keyword, [...knownKeywords])
  return `is not a keyword of schemas${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

/** Limits references: a few definitions that each refer to the next twice would apply millions of schemas to one value. */
function weightErrors({ schema, pointer }: SubSchema, weight: number): readonly FieldError[] {
  if (!('$ref' in schema) || weight <= maxSubSchemas) return []
  const at = step(pointer, '$ref')
  if (weight === Number.POSITIVE_INFINITY) {
    return [
      fieldError(
        at,
        'schema',
        'references itself for the same value; a definition may reference itself only for a nested value',
      ),
    ]
  }
  return [limitError(at, { found: weight, limit: maxSubSchemas, unit: 'schemas, itself and those it refers to' })]
}

/** The number of schemas that one value is validated against; infinite for a schema that refers to itself. */
function weightOf(
  schema: unknown,
  definitions: Readonly<Record<string, JsonSchema>>,
  weights: Map<unknown, number>,
): number {
  if (!isJsonObject(schema)) return 0
  const known = weights.get(schema)
  if (known !== undefined) return known
  weights.set(schema, Number.POSITIVE_INFINITY)
  const { $ref, allOf, anyOf, oneOf, dependentSchemas } = schema
  const parts: unknown[] = [referencedSchema($ref, definitions)]
  for (const list of [allOf, anyOf, oneOf]) if (Array.isArray(list)) parts.push(...(list as unknown[]))
  for (const keyword of ['if', 'then', 'else', 'not']) parts.push(schema[keyword])
  if (isJsonObject(dependentSchemas)) parts.push(...Object.values(dependentSchemas))
  const weight = parts.reduce<number>((sum, part) => sum + weightOf(part, definitions, weights), 1)
  weights.set(schema, weight)
  return weight
}

/** Spent by all patterns of a schema so far. */
interface SpentOnPatterns {
  instructions: number
}

function patternFault(pattern: string, spent: SpentOnPatterns): string | undefined {
  try {
    if (spent.instructions <= maxInstructions) spent.instructions += instructionsOf(pattern)
    if (spent.instructions <= maxInstructions) return undefined
    return 'is too much together with the other patterns of the schema; use shorter ones, with smaller repetitions'
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `cannot be matched in linear time or is not a pattern: ${why}; back-references and look-around are not allowed`
  }
}
