import fc from 'fast-check'
import type { DescribedModel, Json } from './documents.ts'
import type { Random } from './random.ts'

/** Generates values for a schema. Most match it; callers that need a valid value check it. */
export interface Values {
  readonly random: Random
  readonly resolve: DescribedModel['resolve']
}

const maxDepth = 6

export function valueOf(schema: unknown, values: Values, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null) return anyJson(values.random, 2)
  const { random } = values
  const { const: only, enum: allowed, type, ...rest } = chosen(schema as Json, values)
  if (only !== undefined) return only
  if (Array.isArray(allowed)) return random.pick(allowed as unknown[])
  const one = (Array.isArray(type) ? random.pick(type) : type) ?? ('properties' in rest ? 'object' : undefined)
  switch (one) {
    case 'object':
      return objectOf(rest, values, depth)
    case 'array':
      return arrayOf(rest, values, depth)
    case 'string':
      return stringOf(rest, random)
    case 'integer':
    case 'number':
      return numberOf(rest, random, one === 'integer')
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return anyJson(random, 3)
  }
}

/** Merges combined schemas into one. */
function chosen(schema: Json, values: Values): Json {
  const { $ref, allOf, oneOf, anyOf, if: condition, then: yes, else: no, ...rest } = schema
  const parts: unknown[] = [rest]
  if (typeof $ref === 'string') parts.push(values.resolve($ref))
  if (Array.isArray(allOf)) parts.push(...(allOf as unknown[]))
  for (const choice of [oneOf, anyOf]) if (Array.isArray(choice)) parts.push(values.random.pick(choice as unknown[]))
  if (condition !== undefined) parts.push(...(values.random.chance(0.5) ? [condition, yes] : [no]))
  if (parts.length === 1) return rest
  const merged = parts
    .filter((part) => typeof part === 'object' && part !== null)
    .map((part, at) => (at === 0 ? (part as Json) : chosen(part as Json, values)))
  return {
    ...Object.assign({}, ...merged),
    properties: Object.assign({}, ...merged.map(({ properties }) => properties)) as Json,
    required: merged.flatMap(({ required }) => (Array.isArray(required) ? (required as string[]) : [])),
  } as Json
}

function objectOf(schema: Json, values: Values, depth: number): Json {
  const { random } = values
  const { properties = {}, required = [], additionalProperties, patternProperties, propertyNames } = schema
  const wanted = new Set(required as string[])
  const often = depth >= maxDepth ? 0 : random.pick([0, 0.1, 0.3, 0.6, 1])
  const entries = Object.entries(properties as Json)
    .filter(([key]) => wanted.has(key) || random.chance(often))
    .map(([key, one]): [string, unknown] => [key, valueOf(one, values, depth + 1)])
  const [pattern, patterned] = Object.entries((patternProperties ?? {}) as Json)[0] ?? []
  if (pattern !== undefined && random.chance(0.5)) {
    entries.push([matching(pattern, random), valueOf(patterned, values, depth + 1)])
  }
  if (additionalProperties !== undefined && additionalProperties !== false && depth < maxDepth) {
    const { pattern: form } = (propertyNames ?? {}) as { pattern?: string }
    for (let more = random.whole(0, 3); more > 0; more--) {
      const key = form === undefined ? anyKey(random) : matching(form, random)
      entries.push([key, valueOf(additionalProperties, values, depth + 1)])
    }
  }
  return Object.fromEntries(entries.filter(([key]) => key !== '__proto__'))
}

function arrayOf(schema: Json, values: Values, depth: number): readonly unknown[] {
  const { items, prefixItems = [], minItems = 0, maxItems = 5 } = schema
  const first = (prefixItems as unknown[]).map((one) => valueOf(one, values, depth + 1))
  if (items === false || items === undefined) return first
  const most = depth >= maxDepth ? Number(minItems) : Math.min(Number(maxItems), 8)
  const count = values.random.whole(Math.min(Number(minItems), most), most)
  return [...first, ...Array.from({ length: count - first.length }, () => valueOf(items, values, depth + 1))]
}

function numberOf(schema: Json, random: Random, isWhole: boolean): number {
  const bound = (name: string, beside: number) => {
    const value = schema[name]
    return typeof value === 'number' ? value + beside : undefined
  }
  const widest = schema['format'] === 'int32' ? 2 ** 31 - 1 : random.pick([10, 1e6, Number.MAX_SAFE_INTEGER])
  const low = bound('minimum', 0) ?? bound('exclusiveMinimum', 1) ?? -widest
  const high = bound('maximum', 0) ?? bound('exclusiveMaximum', -1) ?? Math.max(widest, low)
  const { multipleOf } = schema
  if (typeof multipleOf === 'number')
    return multipleOf * random.whole(Math.ceil(low / multipleOf / 4), Math.floor(high / multipleOf / 4))
  if (random.chance(0.2)) return random.pick([low, high])
  const value = low + random.fraction() * (high - low)
  return isWhole ? Math.round(value) + 0 : value
}

function stringOf(schema: Json, random: Random): string {
  const { format, pattern, minLength = 0, maxLength = 40 } = schema
  if (typeof pattern === 'string') return matching(pattern, random)
  if (typeof format === 'string' && format in formatted) return formatted[format]?.(random) ?? ''
  const length = random.whole(Number(minLength), Math.min(Number(maxLength), random.pick([3, 12, 40, 100])))
  return anyText(random, Math.max(length, Number(minLength)))
}

const alphabets = [
  'abcdefghijklmnopqrstuvwxyz',
  'ABCXYZ0123456789-_. ',
  'äößéñçøłżабвгд中文字符ひらがな한글',
  '"\\/\b\f\n\r\t\u0001\u001f\u007f\u0085\u2028\u2029\ufeff\ufffd',
  '=!<>^,()%&?#;:*+$[]{}|~`\'"',
  '😀👩‍👩‍👧‍👦🇩🇪',
]

/** Complete characters, most of them ordinary. */
export function anyText(random: Random, length: number): string {
  const letters = Array.from(random.chance(0.6) ? (alphabets[0] ?? '') : random.pick(alphabets))
  return Array.from({ length }, () => random.pick(letters)).join('')
}

function anyKey(random: Random): string {
  return random.chance(0.2)
    ? random.pick([
        'constructor',
        'toString',
        'hasOwnProperty',
        'length',
        '',
        '0',
        '-1',
        'a.b',
        'a/b',
        'a~b',
        '$ref',
        ' ',
      ])
    : anyText(random, random.whole(1, 12))
}

export function anyJson(random: Random, depth: number): unknown {
  switch (random.whole(0, depth > 0 ? 6 : 4)) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
      return random.whole(-1e6, 1e6)
    case 3:
      return random.fraction() * 10 ** random.whole(-12, 12)
    case 4:
      return anyText(random, random.whole(0, 12))
    case 5:
      return Array.from({ length: random.whole(0, 4) }, () => anyJson(random, depth - 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.whole(0, 4) }, () => [anyKey(random), anyJson(random, depth - 1)]),
      )
  }
}

function matching(pattern: string, random: Random): string {
  const [text = ''] = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: random.seed(), numRuns: 1 })
  return text
}

const two = (value: number) => String(value).padStart(2, '0')
const date = (random: Random) => `${random.whole(1000, 9999)}-${two(random.whole(1, 12))}-${two(random.whole(1, 28))}`
const time = (random: Random) =>
  `${two(random.whole(0, 23))}:${two(random.whole(0, 59))}:${two(random.whole(0, 59))}${random.pick(['', '.5', '.123456'])}${random.pick(['Z', 'z', '+02:00', '-11:30'])}`
const hex = (random: Random, length: number) => Array.from({ length }, () => random.whole(0, 15).toString(16)).join('')

const formatted: Readonly<Record<string, (random: Random) => string>> = {
  date,
  time,
  'date-time': (random) => `${date(random)}${random.pick(['T', 't', ' '])}${time(random)}`,
  duration: (random) => random.pick(['P1D', 'PT5M', 'P1Y2M3DT4H5M6S', 'P2W']),
  email: (random) => `${hex(random, 5)}@example.com`,
  hostname: (random) => `${hex(random, 6)}.example.com`,
  ipv4: (random) => Array.from({ length: 4 }, () => random.whole(0, 255)).join('.'),
  ipv6: (random) => random.pick(['::1', `2001:db8::${hex(random, 4)}`]),
  uri: (random) => `https://example.com/${hex(random, 6)}?a=b#c`,
  'uri-reference': (random) => random.pick(['../a', '#b', '/c/d', 'e?f=g']),
  uuid: (random) => [8, 4, 4, 4, 12].map((length) => hex(random, length)).join('-'),
  'json-pointer': (random) => random.pick(['', '/a', '/a~1b/0', '/~0']),
  byte: (random) => Buffer.from(hex(random, 6)).toString('base64'),
}
