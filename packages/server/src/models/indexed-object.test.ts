import { describe, expect, test } from 'vitest'
import { createBuiltInModel } from './definition/built-in-model.ts'
import { indexedObject } from './indexed-object.ts'

const text = { type: 'string' }
const model = createBuiltInModel({
  group: 'g.example',
  version: 'v1',
  kind: 'Todo',
  singular: 'todo',
  plural: 'todos',
  schema: {
    properties: {
      spec: {
        type: 'object',
        properties: {
          city: text,
          age: { type: 'integer' },
          on: { type: 'boolean' },
          seen: { ...text, format: 'date-time' },
          tags: { type: 'array', items: text },
        },
      },
    },
  },
  indexes: ['city', 'age', 'on', 'seen', 'tags'].map((name) => ({ name, path: `spec.${name}` })),
})
const of = (spec: unknown) => indexedObject(model, { metadata: { labels: { a: 'b' } }, spec })

describe('index entries of', () => {
  const cases: readonly (readonly [what: string, spec: unknown, single: object, tags: readonly string[]])[] = [
    ['no value: none', undefined, {}, []],
    ['values: their keys', { city: 'x', age: 0, on: false }, { city: 'x', age: '8000000000000000', on: 'false' }, []],
    ['a time: the time in UTC', { seen: '2030-01-01T01:00:00+01:00' }, { seen: '2030-01-01T00:00:00.000000000Z' }, []],
    ['a set: every value', { tags: ['x', 'y', 'x'] }, {}, ['x', 'y', 'x']],
    ['a set with invalid items: the valid ones', { tags: ['x', null, { y: 1 }, ['z']] }, {}, ['x']],
    ['an object instead of a value: none', { city: { x: 1 } }, {}, []],
    ['a list instead of a value: the first', { city: ['x', 'y'] }, { city: 'x' }, []],
    ['a value instead of a set: that value', { tags: 'x' }, {}, ['x']],
    ['the empty string: the empty string', { city: '' }, { city: '' }, []],
  ]
  for (const [what, spec, single, tags] of cases) {
    test(what, () => {
      expect(of(spec)).toEqual({ indexed: { labels: { a: 'b' }, single, multi: { tags } }, faults: [] })
    })
  }
})

describe('skips and reports', () => {
  const cases: readonly (readonly [what: string, spec: object, pointer: string, message: string])[] = [
    ['a value that is too long', { city: 'x'.repeat(513) }, '/spec/city', 'has 513 bytes'],
    ['a value with U+0000', { city: 'a\0' }, '/spec/city', 'U+0000'],
    ['one value of a set', { tags: ['a', 'x'.repeat(513)] }, '/spec/tags/1', 'has 513 bytes'],
    ['an invalid time', { seen: 'soon' }, '/spec/seen', 'must be a date and time'],
    ['an invalid number', { age: 'x' }, '/spec/age', 'must be a finite number'],
    [
      'a set of more than 256 values',
      { tags: Array.from({ length: 257 }, String) },
      '/spec/tags',
      'has 257 values; at most 256 can be indexed by tags',
    ],
  ]
  for (const [what, spec, pointer, message] of cases) {
    test(what, () => {
      const { indexed, faults } = of({ on: true, ...spec })
      expect(faults).toMatchObject([{ pointer, rule: 'index', message: expect.stringContaining(message) as string }])
      expect(indexed.single).toEqual({ on: 'true' })
    })
  }

  test('nothing in a set of 256', () => expect(of({ tags: Array.from({ length: 256 }, String) }).faults).toEqual([]))
})
