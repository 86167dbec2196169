import { describe, expect, test } from 'vitest'
import { violationMessage } from './violation-message.ts'

describe('messages of violated rules:', () => {
  const cases: readonly (readonly [rule: string, params: Readonly<Record<string, unknown>>, words: string])[] = [
    ['type', { type: 'string' }, 'must be of type string'],
    ['type', { type: ['string', 'null'] }, 'must be of type string, null'],
    ['enum', { allowedValues: ['a', 1, null] }, 'must be one of a, 1, null'],
    ['const', { allowedValue: 'a' }, 'must be "a"'],
    ['minLength', { limit: 1 }, 'must have at least 1 character'],
    ['maxLength', { limit: 2 }, 'must have at most 2 characters'],
    ['minimum', { limit: 3 }, 'must be 3 or more'],
    ['maximum', { limit: 4 }, 'must be 4 or less'],
    ['exclusiveMinimum', { limit: 5 }, 'must be more than 5'],
    ['exclusiveMaximum', { limit: 6 }, 'must be less than 6'],
    ['multipleOf', { multipleOf: 0.5 }, 'must be a multiple of 0.5'],
    ['minItems', { limit: 1 }, 'must have at least 1 item'],
    ['maxItems', { limit: 2 }, 'must have at most 2 items'],
    ['uniqueItems', { i: 3, j: 1 }, 'must not contain duplicates; items 1 and 3 are equal'],
    ['minProperties', { limit: 1 }, 'must have at least 1 field'],
    ['maxProperties', { limit: 2 }, 'must have at most 2 fields'],
    ['pattern', { pattern: '^a$' }, 'must match the pattern ^a$'],
    ['format', { format: 'date' }, 'must be a valid date'],
    ['oneOf', { passingSchemas: null }, 'must match exactly one of the allowed schemas; it matches none'],
    ['oneOf', { passingSchemas: [0, 1] }, 'must match exactly one of the allowed schemas; it matches several'],
    ['anyOf', {}, 'must match at least one of the allowed schemas'],
    ['not', {}, 'matches a schema that is not allowed'],
    ['dependentRequired', { property: 'a', missingProperty: 'b' }, 'must have the field b, because it has a'],
    ['contains', { minContains: 1 }, 'must contain at least 1 item matching the schema in "contains"'],
    ['propertyNames', { propertyName: 'x' }, 'has a field named "x", which is not allowed'],
  ]
  for (const [rule, params, words] of cases) {
    test(`${rule}: ${words}`, () => expect(violationMessage(rule, params, undefined)).toBe(words))
  }

  test('a rule without a message here uses the message of the library, or its name', () => {
    expect(violationMessage('other', {}, 'must be other')).toBe('must be other')
    expect(violationMessage('other', {}, undefined)).toBe('violates the rule other')
  })
})
