import { ApiError, referencedSchema, type JsonSchema } from '@pergola/api'

/** All parameters as strings; rejects duplicates. */
export function plainQuery(parameters: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, once(parameters, name)]))
}

/**
 * Converts parameters to the types of the schema: numbers and booleans from text, arrays from repeated parameters. A value that
 * cannot be converted stays a string, which the schema then rejects.
 */
export function typedQuery(parameters: URLSearchParams, schema: JsonSchema): Record<string, unknown> {
  const { properties = {}, $defs = {} } = schema as Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
  const names = [...new Set(parameters.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const field = Object.hasOwn(properties, name) ? resolved(properties[name], $defs) : {}
      if (!typesOf(field, $defs).includes('array')) return [name, read(once(parameters, name), typesOf(field, $defs))]
      const itemTypes = typesOf(field['items'], $defs)
      return [name, parameters.getAll(name).map((text) => read(text, itemTypes))]
    }),
  )
}

function once(parameters: URLSearchParams, name: string): string {
  const [text = '', ...more] = parameters.getAll(name)
  if (more.length === 0) return text
  const message = `is given ${more.length + 1} times; it has one value`
  const errors = [{ pointer: `/${name}`, field: name, rule: 'once', message }]
  throw new ApiError('BadRequest', `the query parameter ${name} ${message}`, { errors })
}

function read(text: string, types: readonly string[]): unknown {
  if (types.includes('string') || types.length === 0) return text
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  const isNumber = types.includes('number') || types.includes('integer')
  return isNumber && /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text
}

/** Types that the schema allows; empty when it allows any. */
function typesOf(schema: unknown, definitions: Readonly<Record<string, JsonSchema>>): readonly string[] {
  const { type, const: only, enum: some, anyOf = [], oneOf = [], allOf = [] } = resolved(schema, definitions)
  if (type !== undefined) return [type].flat() as string[]
  if (only !== undefined) return [typeof only]
  if (Array.isArray(some)) return some.map((one) => typeof one)
  return [anyOf, oneOf, allOf].flat().flatMap((part) => typesOf(part, definitions))
}

function resolved(schema: unknown, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { $ref } = (schema ?? {}) as JsonSchema
  return (referencedSchema($ref, definitions) ?? schema ?? {}) as JsonSchema
}
