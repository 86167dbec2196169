import { wildcards } from '../base/wildcards.ts'

type Params = Readonly<Record<string, unknown>>

const limitOf = ({ limit }: Params) => String(limit)

const counted = (count: unknown, unit: string) => `${String(count)} ${unit}${count === 1 ? '' : 's'}`

/** Descriptions of the host's own patterns; for others, only the pattern itself can be shown. */
const patternWords: Readonly<Record<string, string>> = {
  [wildcards.group]: 'may hold "*" only as the whole value; partial wildcards are not supported',
  [wildcards.resource]:
    'must name something, and may hold "*" only as the whole value; partial wildcards are not supported',
  [wildcards.path]:
    'must be "*", or a path that begins with "/" and may end in "/*"; other wildcards are not supported',
  [wildcards.none]: 'must be a name; wildcards are not supported here',
}

/** The message for a violated keyword, to follow the field's name. */
const words: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be of type ${listed(type)}`,
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  minLength: (params) => `must have at least ${counted(params['limit'], 'character')}`,
  maxLength: (params) => `must have at most ${counted(params['limit'], 'character')}`,
  minimum: (params) => `must be ${limitOf(params)} or more`,
  maximum: (params) => `must be ${limitOf(params)} or less`,
  exclusiveMinimum: (params) => `must be more than ${limitOf(params)}`,
  exclusiveMaximum: (params) => `must be less than ${limitOf(params)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  minItems: (params) => `must have at least ${counted(params['limit'], 'item')}`,
  maxItems: (params) => `must have at most ${counted(params['limit'], 'item')}`,
  uniqueItems: ({ i, j }) => `may not hold the same item twice; items ${String(j)} and ${String(i)} are equal`,
  minProperties: (params) => `must have at least ${counted(params['limit'], 'field')}`,
  maxProperties: (params) => `must have at most ${counted(params['limit'], 'field')}`,
  pattern: ({ pattern }) => patternWords[String(pattern)] ?? `must match the pattern ${String(pattern)}`,
  format: ({ format }) => `must be a valid ${String(format)}`,
  oneOf: ({ passingSchemas }) =>
    passingSchemas === null
      ? 'must fit one of the allowed forms'
      : 'fits several of the allowed forms; it must fit one',
  anyOf: () => 'must fit one of the allowed forms',
  not: () => 'has a form that is not allowed',
  dependentRequired: ({ property, missingProperty }) => `needs ${String(missingProperty)} beside ${String(property)}`,
  contains: ({ minContains }) => `must hold at least ${counted(minContains, 'item')} of the wanted form`,
  propertyNames: ({ propertyName }) => `has a field named "${String(propertyName)}", which is not allowed`,
}

export function inWords(keyword: string, params: Params, fallback: string | undefined): string {
  return words[keyword]?.(params) ?? fallback ?? `breaks the rule ${keyword}`
}

function listed(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
    : String(values)
}
