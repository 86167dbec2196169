import { displayHues, displayIcons } from '../../packages/api/src/display.ts'
import { modelSchema } from '../../packages/server/src/models/definition/model-schema.ts'
import { knownFormats } from '../../packages/server/src/validation/formats.ts'
import type { JsonSchema } from '../../packages/server/src/validation/object-schema.ts'
import { knownKeywords, maxUniqueItems, refusedKeywords } from '../../packages/server/src/validation/schema-errors.ts'
import { asCode, table } from './markdown.ts'

interface Field {
  readonly path: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/** Every field of a Model, from the schema that the host validates models with. */
export function modelFields(): string {
  const root = { type: 'object', ...modelSchema }
  const rows = fieldsOf('', root).map(({ path, schema, isRequired }) => {
    const { description } = schema
    if (typeof description !== 'string') throw new Error(`the field ${path} of Model has no description`)
    return [`\`${path}\``, valueOf(schema), isRequired ? 'yes' : '', description]
  })
  return table(['Field', 'Value', 'Required', 'Meaning'], rows)
}

/** Leaves out a field without a description that only groups others. */
function fieldsOf(path: string, schema: JsonSchema): readonly Field[] {
  const {
    properties = {},
    required = [],
    items,
  } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
    readonly items?: JsonSchema
  }
  const own = Object.entries(properties).flatMap(([key, value]) => {
    const place = path === '' ? key : `${path}.${key}`
    const isGroup = 'properties' in value && !('description' in value)
    const field = { path: place, schema: value, isRequired: required.includes(key) }
    return [...(isGroup ? [] : [field]), ...fieldsOf(place, value)]
  })
  return [...own, ...(items ? fieldsOf(`${path}[]`, items) : [])]
}

/** The keywords that fields of a Model use. */
interface FieldSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly const?: string
  readonly minimum?: number
  readonly maxItems?: number
  readonly items?: FieldSchema
}

function valueOf({ type = '', enum: choices, const: only, minimum, maxItems, items }: FieldSchema): string {
  if (choices) return asCode(choices)
  if (only !== undefined) return `\`${only}\``
  if (items) {
    const inside = items.items ? `lists of at most ${items.maxItems}` : items.type
    return `array of ${inside}${maxItems === undefined ? '' : `, at most ${maxItems}`}`
  }
  return `${type}${minimum === undefined ? '' : ` of ${minimum} or more`}`
}

/** Keywords with the same meaning, and that meaning. */
const keywordMeanings: readonly (readonly [keywords: string, meaning: string])[] = [
  ['type enum const', 'The JSON type, or a list of types; one of these values; exactly this value.'],
  ['nullable', 'Beside `type`: `null` is allowed too.'],
  ['minLength maxLength', 'Characters of a string.'],
  ['pattern', 'The string contains a match (RE2 syntax; anchor with `^` and `$`).'],
  ['format', 'The string or number has one of the formats below.'],
  ['minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', 'Range of a number, and its step.'],
  ['properties patternProperties', 'Schemas of fields, by name or by a pattern for names.'],
  ['required dependentRequired', 'Fields that must be there; fields that must be there when another one is.'],
  [
    'additionalProperties unevaluatedProperties',
    'What other fields may be: any (`true`), none (`false`), or a schema.',
  ],
  ['propertyNames minProperties maxProperties', 'A schema for the names of fields; how many there may be.'],
  [
    'dependentSchemas dependencies',
    'A schema that holds when a field is there; the older word for both `dependent…` keywords.',
  ],
  ['items prefixItems unevaluatedItems', 'Schemas of all items of an array, of the first ones, and of the rest.'],
  ['contains minContains maxContains', 'An item that must be there, and how often.'],
  ['minItems maxItems', 'How many items there may be.'],
  [
    'uniqueItems',
    `No two items are equal. Needs \`maxItems\` of at most ${maxUniqueItems.toLocaleString('en')} beside it.`,
  ],
  ['allOf anyOf oneOf not if then else', 'Combinations of schemas.'],
  ['$ref $defs', 'Reference to a schema in `$defs` of the same version, as `#/$defs/<name>`; no other is followed.'],
  [
    'default',
    'Filled in when an object is written without the field. Refused in `anyOf`, `oneOf`, `not` and `if`, where it would be ignored.',
  ],
  ['title description example examples deprecated $comment', 'Documentation; checks nothing.'],
  ['contentEncoding contentMediaType contentSchema', 'Documentation; checks nothing.'],
  ['x-reference', 'The values are names of objects: see [references](#references).'],
  ['x-display', 'How the field is [displayed](#display); checks nothing.'],
  ['readOnly writeOnly', 'Refused when true: the host would not enforce it.'],
]

/** All keywords that the host accepts, and those that it rejects by name. */
export function schemaKeywords(): string {
  const told = keywordMeanings.flatMap(([keywords]) => keywords.split(' '))
  const missingInParams = [...knownKeywords].filter((keyword) => !told.includes(keyword))
  const unknown = told.filter((keyword) => !knownKeywords.has(keyword))
  if (missingInParams.length > 0)
    throw new Error(`tools/docs/model-reference.ts has no meaning of ${missingInParams.join(', ')}`)
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} are no keywords of schemas`)
  const rows = keywordMeanings.map(([keywords, meaning]) => [asCode(keywords.split(' ')), meaning])
  return [
    table(['Keyword', 'Meaning'], rows),
    '',
    `Any other keyword is refused, with the most similar known one; so are ${asCode([...refusedKeywords])}.`,
  ].join('\n')
}

const formatMeanings: Readonly<Record<(typeof knownFormats)[number], string>> = {
  date: '`2030-01-31`',
  time: '`07:30:00Z` or `07:30:00+02:00`; the offset is required',
  'date-time': '`2030-01-31T07:30:00Z`; the offset is required. An index sorts by time',
  duration: '`P1DT2H`',
  email: 'e-mail address',
  hostname: 'host name',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
  uri: 'absolute URI, such as `https://example.com` or `urn:x`',
  'uri-reference': 'URI or relative reference',
  uuid: 'UUID',
  'json-pointer': 'JSON Pointer (RFC 6901)',
  byte: 'base64',
  int32: 'number that fits into 32 bits',
  int64: 'whole number; all numbers are limited to ±9007199254740991',
  float: 'any number',
  double: 'any number',
  password: 'any string; not hidden from anybody',
}

export function formats(): string {
  return table(
    ['Format', 'Takes'],
    knownFormats.map((format) => [`\`${format}\``, formatMeanings[format]]),
  )
}

/** The colors and icons of the console. */
export function displayChoices(): string {
  return [`Colors: ${asCode(displayHues)}.`, '', `Icons: ${asCode(displayIcons)}.`].join('\n')
}
