import { visible, visibleJson } from '../terminal/visible.ts'

/** A JSON Schema as used in OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>

export interface TypeOptions {
  /** Returns the type name for a referenced component. */
  readonly nameOf: (component: string) => string
  /** The type is for a request: fields with a default are optional. */
  readonly isSent?: boolean
}

export const scalars: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
])

/**
 * Converts a schema to a TypeScript type on one line. Omits constraints that a type cannot express, such as patterns and
 * lengths. Unknown constructs become `unknown`.
 */
export function typeOfSchema(schema: unknown, options: TypeOptions): string {
  if (!isSchema(schema)) return 'unknown'
  const parts = [ownType(schema, options), ...combined(schema, options)].filter((part) => part !== undefined)
  return parts.length === 0 ? 'unknown' : parts.map((part) => (parts.length > 1 ? grouped(part) : part)).join(' & ')
}

function ownType(schema: Schema, options: TypeOptions): string | undefined {
  const { $ref, enum: values, type } = schema
  if (typeof $ref === 'string') return options.nameOf($ref.slice($ref.lastIndexOf('/') + 1))
  if ('const' in schema) return literal(schema['const'])
  if (Array.isArray(values)) return values.map(literal).join(' | ') || 'never'
  const types = [type].flat().filter((one) => typeof one === 'string')
  const named = types.map((one) => scalars.get(one) ?? structure(one, schema, options))
  if (named.length > 0) return named.join(' | ')
  return 'properties' in schema ? structure('object', schema, options) : undefined
}

function combined(schema: Schema, options: TypeOptions): readonly string[] {
  const all = listOf(schema['allOf']).map((one) => typeOfSchema(one, options))
  const some = ['oneOf', 'anyOf'].map((word) => listOf(schema[word]).map((one) => typeOfSchema(one, options)))
  return [...all, ...some.filter((types) => types.length > 0).map((types) => types.map(grouped).join(' | '))]
}

function structure(type: string, schema: Schema, options: TypeOptions): string {
  if (type === 'array') return `readonly ${grouped(typeOfSchema(schema['items'], options))}[]`
  if (type !== 'object') return 'unknown'
  const fields = fieldsOf(schema, options)
  const { additionalProperties: others } = schema
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  if (others === false) return '{}'
  return `Readonly<Record<string, ${isSchema(others) ? typeOfSchema(others, options) : 'unknown'}>>`
}

/** Fields of an object type, such as `readonly title: string`, in schema order. */
export function fieldsOf(schema: Schema, options: TypeOptions): readonly string[] {
  const { properties } = schema
  const required = new Set(listOf(schema['required']))
  return Object.entries(isSchema(properties) ? properties : {}).map(([name, one]) => {
    const isLeft = options.isSent === true && isSchema(one) && 'default' in one
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
    return `${comment(one)}readonly ${key}${required.has(name) && !isLeft ? '' : '?'}: ${typeOfSchema(one, options)}`
  })
}

/** Doc comment from the schema's description; empty without one. */
export function comment(schema: unknown): string {
  const { description } = isSchema(schema) ? schema : {}
  if (typeof description !== 'string' || description === '') return ''
  return `${commentOf(description)} `
}

/** A doc comment with a text of the server, on one line. */
export function commentOf(text: unknown): string {
  return `/** ${visible(String(text).replaceAll(/\s+/g, ' ')).replaceAll('*/', '* /')} */`
}

export function literal(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'object' && value !== null ? 'unknown' : String(value)
  // Uses single quotes, like the rest of the module.
  return `'${visibleJson(JSON.stringify(value)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function grouped(type: string): string {
  return /[|&]|^readonly /.test(type) ? `(${type})` : type
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
