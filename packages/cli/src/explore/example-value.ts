import type { JsonSchema } from '@pergola/api'
import { isObject, resolveSchema, type FollowReference } from '../objects/schema-at.ts'
import { valuesOf } from './schema-words.ts'

const deepest = 6

const ofFormat: Readonly<Record<string, string>> = {
  'date-time': '2030-03-01T09:00:00Z',
  date: '2030-03-01',
  time: '09:00:00Z',
  duration: 'P1D',
  email: 'ann@example.com',
  uri: 'https://example.com',
  uuid: '0198c0de-0000-7000-8000-000000000000',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

/** A value that fits the schema; undefined if none can be derived, as for most patterns. */
export function exampleValue(schema: JsonSchema, follow: FollowReference, depth = 0): unknown {
  const { examples, default: usual } = schema
  const given = [...(Array.isArray(examples) ? (examples as readonly unknown[]) : []), usual, ...valuesOf(schema)].find(
    (value) => value !== undefined && value !== null,
  )
  if (given !== undefined || depth > deepest) return given
  const [part] = ['anyOf', 'oneOf'].flatMap((word) => (Array.isArray(schema[word]) ? (schema[word] as unknown[]) : []))
  if (part !== undefined && schema['type'] === undefined)
    return exampleValue(resolveSchema(part, follow), follow, depth + 1)
  const type = [schema['type'] ?? ('properties' in schema ? 'object' : undefined)].flat().find((one) => one !== 'null')
  if (type === 'string') return exampleText(schema)
  if (type === 'integer' || type === 'number') return exampleNumber(schema)
  if (type === 'boolean') return true
  if (type === 'array') return exampleList(schema, follow, depth)
  return type === 'object' ? exampleObject(schema, follow, depth) : undefined
}

function exampleText(schema: JsonSchema): string | undefined {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  if (typeof format === 'string' && format in ofFormat) return ofFormat[format]
  if (pattern !== undefined) return undefined
  return 'some text'.padEnd(Number(minLength), '.').slice(0, Number(maxLength))
}

function exampleNumber({ minimum, exclusiveMinimum, maximum, multipleOf = 1 }: JsonSchema): number {
  const step = Number(multipleOf)
  if (exclusiveMinimum !== undefined) return Math.floor(Number(exclusiveMinimum) / step) * step + step
  if (minimum !== undefined) return Math.ceil(Number(minimum) / step) * step
  return maximum === undefined ? step : Math.min(step, Math.floor(Number(maximum) / step) * step)
}

function exampleList(schema: JsonSchema, follow: FollowReference, depth: number): unknown {
  const item = exampleValue(resolveSchema(schema['items'], follow), follow, depth + 1)
  return item === undefined ? [] : [item]
}

/** With the required fields; without any, with the first one that has an example. */
function exampleObject(schema: JsonSchema, follow: FollowReference, depth: number): unknown {
  const { properties, required } = schema
  if (!isObject(properties)) return undefined
  const names =
    Array.isArray(required) && required.length > 0 ? (required as readonly string[]) : Object.keys(properties)
  const fields = names.flatMap((name) => {
    const value = exampleValue(resolveSchema(properties[name], follow), follow, depth + 1)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(Array.isArray(required) && required.length > 0 ? fields : fields.slice(0, 3))
}
