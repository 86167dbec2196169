import { expect, test } from 'vitest'
import { t, withDefault } from '../index.ts'
import { fillDefaults } from './fill-defaults.ts'

const schema = {
  $defs: { part: { properties: { size: { default: 1 }, part: { $ref: '#/$defs/part' } } } },
  properties: {
    state: { default: 'open' },
    tags: { default: ['a'] },
    part: { $ref: '#/$defs/part' },
    list: { items: { properties: { at: { default: 0 } } } },
    both: { allOf: [{ properties: { one: { default: 1 } } }, { properties: { two: { default: 2 } } }] },
    endless: { allOf: [{ $ref: '#/$defs/endless' }] },
  },
}

test.each([
  ['missing fields', {}, { state: 'open', tags: ['a'] }],
  ['no field that is present', { state: null, tags: [] }, { state: null, tags: [] }],
  [
    'nested objects',
    { tags: [], state: '', part: { part: {} } },
    { tags: [], state: '', part: { size: 1, part: { size: 1 } } },
  ],
  [
    'every item of a list',
    { tags: [], state: '', list: [{}, { at: 3 }] },
    { tags: [], state: '', list: [{ at: 0 }, { at: 3 }] },
  ],
  ['every part of allOf', { tags: [], state: '', both: {} }, { tags: [], state: '', both: { one: 1, two: 2 } }],
])('fills in %s', (_, value, expected) => expect(fillDefaults(schema, value)).toEqual(expected))

test('changing a filled-in default does not change the schema', () => {
  const first: { tags?: string[] } = fillDefaults(schema, {})
  first.tags?.push('b')
  expect(fillDefaults(schema, {})).toEqual({ state: 'open', tags: ['a'] })
})

test('a schema that refers to itself terminates', () => {
  const endless = { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }
  expect(fillDefaults(endless, {})).toEqual({})
})

test('TypeBox schemas work too', () => {
  expect(fillDefaults(t.Object({ a: withDefault(t.Integer(), 3) }), {})).toEqual({ a: 3 })
})
