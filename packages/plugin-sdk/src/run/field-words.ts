import type { FieldError } from '@pergola/api'

/** A violated rule as the validator reports it. */
export interface ViolatedRule {
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string | undefined
}

/**
 * Converts a violated rule to a field error in plain words. For missing or unknown fields, the pointer names the field itself.
 */
export function fieldErrorOf({ instancePath, keyword, params, message }: ViolatedRule): FieldError {
  if (keyword === 'required') return toFieldError(step(instancePath, params['missingProperty']), keyword, 'is missing')
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = params['additionalProperty'] ?? params['unevaluatedProperty']
    return toFieldError(step(instancePath, name), 'unknown', 'is unknown; remove it or check the spelling')
  }
  return toFieldError(instancePath, keyword, words[keyword]?.(params) ?? message ?? `violates the rule ${keyword}`)
}

/** Joins up to three errors into a sentence about `what`. */
export function sentenceOf(what: string, errors: readonly FieldError[]): string {
  const shown = errors.slice(0, 3).map(({ field, message }) => `${field === '' ? 'it' : field} ${message}`)
  const more = errors.length > shown.length ? `, and ${errors.length - shown.length} more` : ''
  return `${what} is invalid: ${shown.join('; ')}${more}`
}

type Params = ViolatedRule['params']

const counted = (count: unknown, unit: string) => `${String(count)} ${unit}${count === 1 ? '' : 's'}`

const words: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be of type ${[type].flat().join(' or ')}`,
  enum: ({ allowedValues }) =>
    `must be one of ${(allowedValues as unknown[]).map((one) => JSON.stringify(one)).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}`,
  minimum: ({ limit }) => `must be ${String(limit)} or more`,
  maximum: ({ limit }) => `must be ${String(limit)} or less`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  pattern: ({ pattern }) => `must match the pattern ${String(pattern)}`,
  format: ({ format }) => `must be a valid ${String(format)}`,
  anyOf: () => 'must match at least one of the allowed schemas',
  oneOf: () => 'must match exactly one of the allowed schemas',
}

function toFieldError(pointer: string, rule: string, message: string): FieldError {
  return { pointer, field: fieldOf(pointer), rule, message }
}

function step(pointer: string, key: unknown): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Converts `/items/0/name` to `items[0].name`. */
function fieldOf(pointer: string): string {
  const keys = pointer.split('/').slice(1)
  return keys
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key, at) => (/^\d+$/.test(key) ? `[${key}]` : at === 0 ? key : `.${key}`))
    .join('')
}
