import { expect, test } from 'vitest'
import { textValue } from './text-value.ts'

const text = { type: 'string' }
test.each([
  ['digits of a text stay a text', '7', text, '7'],
  ['a number', '7.5', { type: 'number' }, 7.5],
  ['an integer', '7', { type: 'integer' }, 7],
  ['what is no number stays a text, for the server to refuse', 'x', { type: 'number' }, 'x'],
  ['a boolean', 'true', { type: 'boolean' }, true],
  ['null, where it is allowed', 'null', { type: ['string', 'null'] }, null],
  ['null as a text', 'null', text, 'null'],
  ['an enum of texts', '1', { enum: ['1', '2'] }, '1'],
  ['an enum of numbers', '1', { enum: [1, 2] }, 1],
  ['a list with commas', 'a, b', { type: 'array', items: text }, ['a', 'b']],
  ['a list of numbers', '1,2', { type: 'array', items: { type: 'integer' } }, [1, 2]],
  ['a list as JSON', '["a,b"]', { type: 'array', items: text }, ['a,b']],
  ['an empty list', '', { type: 'array', items: text }, []],
  ['an object', '{"a":1}', { type: 'object' }, { a: 1 }],
  ['an alternative', '3', { anyOf: [{ type: 'number' }, { type: 'null' }] }, 3],
  ['anything', '{"a":1}', {}, { a: 1 }],
  ['anything that is no JSON', 'abc', {}, 'abc'],
])('%s', (_what, written, schema, value) => {
  expect(textValue(written, schema, () => undefined)).toEqual(value)
})
