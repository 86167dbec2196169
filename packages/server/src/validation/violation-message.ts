import { wildcards } from '../base/wildcards.ts'

type Params = Readonly<Record<string, unknown>>

const limitOf = ({ limit }: Params) => String(limit)

const counted = (count: unknown, unit: string) => `${String(count)} ${unit}${count === 1 ? '' : 's'}`

/** Messages for the patterns of the host's own schemas; the message for any other pattern quotes the pattern. */
const patternMessages: Readonly<Record<string, string>> = {
  [wildcards.group]: 'may contain "*" only as the whole value; partial wildcards are not supported',
  [wildcards.resource]:
    'must not be empty and may contain "*" only as the whole value; partial wildcards are not supported',
  [wildcards.path]:
    'must be "*", or a path that begins with "/" and may end in "/*"; other wildcards are not supported',
  [wildcards.none]: 'must be a name; wildcards are not supported here',
}

/** The most common omission. */
const formatHints: Readonly<Record<string, string>> = {
  time: ' with an offset, such as 07:30:00Z or 07:30:00+02:00',
  'date-time': ', such as 2030-01-31T07:30:00Z',
}

/** Messages by violated keyword. Each continues a sentence that starts with the field's name. */
const messages: Readonly<Record<string, (params: Params) => string>> = {
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
  uniqueItems: ({ i, j }) => `must not contain duplicates; items ${String(j)} and ${String(i)} are equal`,
  minProperties: (params) => `must have at least ${counted(params['limit'], 'field')}`,
  maxProperties: (params) => `must have at most ${counted(params['limit'], 'field')}`,
  pattern: ({ pattern }) => patternMessages[String(pattern)] ?? `must match the pattern ${String(pattern)}`,
  format: ({ format }) => `must be a valid ${String(format)}${formatHints[String(format)] ?? ''}`,
  oneOf: ({ passingSchemas }) =>
    passingSchemas === null
      ? 'must match exactly one of the allowed schemas; it matches none'
      : 'must match exactly one of the allowed schemas; it matches several',
  anyOf: () => 'must match at least one of the allowed schemas',
  not: () => 'matches a schema that is not allowed',
  dependentRequired: ({ property, missingProperty }) =>
    `must have the field ${String(missingProperty)}, because it has ${String(property)}`,
  contains: ({ minContains }) =>
    `must contain at least ${counted(minContains, 'item')} matching the schema in "contains"`,
  propertyNames: ({ propertyName }) => `has a field named "${String(propertyName)}", which is not allowed`,
}

export function violationMessage(keyword: string, params: Params, fallback: string | undefined): string {
  return messages[keyword]?.(params) ?? fallback ?? `violates the rule ${keyword}`
}

function listed(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
    : String(values)
}
