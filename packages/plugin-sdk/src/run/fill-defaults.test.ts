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
  ['what is left out', {}, { state: 'open', tags: ['a'] }],
  ['nothing that is there', { state: null, tags: [] }, { state: null, tags: [] }],
  ['below', { tags: [], state: '', part: { part: {} } }, { tags: [], state: '', part: { size: 1, part: { size: 1 } } }],
  [
    'in every item',
    { tags: [], state: '', list: [{}, { at: 3 }] },
    { tags: [], state: '', list: [{ at: 0 }, { at: 3 }] },
  ],
  ['of all parts', { tags: [], state: '', both: {} }, { tags: [], state: '', both: { one: 1, two: 2 } }],
])('fills in %s', (_, value, expected) => expect(fillDefaults(schema, value)).toEqual(expected))

test('a default is nobody else’s to change', () => {
  const first: { tags?: string[] } = fillDefaults(schema, {})
  first.tags?.push('b')
  expect(fillDefaults(schema, {})).toEqual({ state: 'open', tags: ['a'] })
})

test('a schema that leads back to itself ends', () => {
  const endless = { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }
  expect(fillDefaults(endless, {})).toEqual({})
})

test('schemas of TypeBox are the same', () => {
  expect(fillDefaults(t.Object({ a: withDefault(t.Integer(), 3) }), {})).toEqual({ a: 3 })
})
