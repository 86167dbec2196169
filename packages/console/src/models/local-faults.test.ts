import { expect, test } from 'vitest'
import { localFault } from './local-faults.ts'
import { isSegmented, spansOf } from './spans.ts'

test.each([
  [{ type: 'integer', minimum: 0 }, -3, { rule: 'minimum', limit: 0 }],
  [{ type: 'number', maximum: 5 }, 6, { rule: 'maximum', limit: 5 }],
  [{ type: 'integer' }, 1.5, { rule: 'integer' }],
  [{ type: 'number' }, 'twelve', { rule: 'number' }],
  [{ type: 'string', format: 'email' }, 'orders@deskwerk', { rule: 'email' }],
  [{ type: 'string', format: 'uri' }, 'deskwerk', { rule: 'uri' }],
  [{ type: 'string', maxLength: 3 }, 'four', { rule: 'maxLength', limit: 3 }],
  [{ type: 'array', maxItems: 1 }, ['a', 'b'], { rule: 'maxItems', limit: 1 }],
])('%j refuses %j', (schema, value, fault) => {
  expect(localFault(schema, value)).toEqual(fault)
})

test('omitted and valid values have no fault', () => {
  expect(localFault({ type: 'integer', minimum: 0 }, undefined)).toBeUndefined()
  expect(localFault({ type: 'integer', minimum: 0 }, 3)).toBeUndefined()
  expect(localFault({ type: 'string', format: 'email' }, 'orders@deskwerk.example')).toBeUndefined()
})

test('short values are seen at once, and short fields stand beside each other', () => {
  expect(isSegmented(['low', 'normal', 'high'])).toBe(true)
  expect(isSegmented(['a', 'b', 'c', 'd', 'e', 'f'])).toBe(false)
})

const number = { type: 'number' }
const text = { type: 'string' }
const long = { type: 'string', maxLength: 200 }

test.each([
  ['three numbers', [number, number, number], [2, 2, 2]],
  ['two numbers', [number, number, long], [3, 3, 6]],
  ['a text and a number', [text, number, text], [3, 3, 3]],
  ['one number', [long, number], [6, 2]],
])('%s in a row of the form', (_, fields, expected) => {
  expect(spansOf(fields, {})).toEqual(expected)
})
