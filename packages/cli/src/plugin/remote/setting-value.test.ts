import { expect, test } from 'vitest'
import { settingValue } from './setting-value.ts'

test.each([
  ['a text', { type: 'string' }, '7', '7'],
  ['a choice', { enum: ['7', '8'] }, '7', '7'],
  ['a number', { type: 'integer' }, '7', 7],
  ['a boolean', { type: 'boolean' }, 'true', true],
  ['a list', { type: 'array' }, '["a"]', ['a']],
  ['anything', {}, 'a b', 'a b'],
])('%s is parsed as its schema says', (_what, schema, text, value) =>
  expect(settingValue(schema, { key: 'a', text })).toEqual(value),
)

test('a value of the wrong type is rejected', () =>
  expect(() => settingValue({ type: 'integer' }, { key: 'size', text: 'seven' })).toThrow(
    /size is of type "integer"; "seven" is not/,
  ))
