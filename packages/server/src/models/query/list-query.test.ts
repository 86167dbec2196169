import { describe, expect, test } from 'vitest'
import { indexKey } from '../../store/index-key.ts'
import { createBuiltInModel } from '../definition/built-in-model.ts'
import { sortOf, termsOf } from './list-query.ts'

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
  indexes: [
    { name: 'spec.city' },
    { name: 'age', path: 'spec.age', order: 'DESC' },
    { name: 'spec.on' },
    { name: 'spec.seen' },
    { name: 'spec.tags' },
  ],
})
const keyOf = (type: 'number' | 'timestamp', value: string) => {
  const result = indexKey(type, value)
  return 'key' in result ? result.key : ''
}
const query = (all: Readonly<Record<string, string>>) => new URLSearchParams(all)

describe('selects by', () => {
  const cases: readonly (readonly [what: string, query: Readonly<Record<string, string>>, terms: readonly object[]])[] =
    [
      ['nothing', {}, []],
      ['a label', { labelSelector: 'a=b' }, [{ label: 'a', is: { op: '=', value: 'b' } }]],
      ['a label inequality', { labelSelector: 'a!=b' }, [{ label: 'a', is: { op: 'not in', values: ['b'] } }]],
      [
        'labels and fields, all of them',
        { labelSelector: 'a,!b', fieldSelector: 'spec.city=(x,y)' },
        [
          { label: 'a', is: { op: 'present' } },
          { label: 'b', is: { op: 'absent' } },
          { field: 'spec.city', is: { op: 'in', values: ['x', 'y'] } },
        ],
      ],
      [
        'a number, as its key',
        { fieldSelector: 'age>=7' },
        [{ field: 'age', is: { op: '>=', value: keyOf('number', '7') } }],
      ],
      [
        'a number inequality, as keys',
        { fieldSelector: 'age!=(-1.5e3,0)' },
        [{ field: 'age', is: { op: 'not in', values: [keyOf('number', '-1500'), keyOf('number', '0')] } }],
      ],
      ['a boolean', { fieldSelector: 'spec.on=false' }, [{ field: 'spec.on', is: { op: '=', value: 'false' } }]],
      [
        'a time with any offset',
        { fieldSelector: 'spec.seen<2030-01-01T01:00:00+01:00' },
        [{ field: 'spec.seen', is: { op: '<', value: keyOf('timestamp', '2030-01-01T00:00:00Z') } }],
      ],
      ['a prefix', { fieldSelector: 'spec.tags^=ab' }, [{ field: 'spec.tags', is: { op: 'prefix', value: 'ab' } }]],
      ['a name', { fieldSelector: 'metadata.name=x' }, [{ field: 'metadata.name', is: { op: '=', value: 'x' } }]],
    ]
  for (const [what, sent, terms] of cases) test(what, () => expect(termsOf(model, query(sent))).toEqual(terms))

  test('every parameter, when one is given twice', () => {
    const twice = new URLSearchParams('fieldSelector=spec.city=a&fieldSelector=spec.on')
    expect(termsOf(model, twice)).toHaveLength(2)
  })
})

describe('rejects a selector with', () => {
  const cases: readonly (readonly [what: string, selector: string, reason: string, message: string])[] = [
    [
      'a field that is not indexed',
      'spec.none=1',
      'FieldNotIndexed',
      '"spec.none" is not indexed in todos; did you mean spec.on?; indexed are metadata.name',
    ],
    ['the path of an index with another name', 'spec.age=1', 'FieldNotIndexed', 'character 1'],
    ['labels as a field', 'spec.on,metadata.labels=a', 'FieldNotIndexed', 'labels are selected by labelSelector'],
    ['an invalid number', 'age=seven', 'InvalidSelector', '"seven" is not a number'],
    ['a hexadecimal number', 'age=0x10', 'InvalidSelector', 'character 5: "0x10" is not a number'],
    ['an empty number', 'age=', 'InvalidSelector', '"" is not a number'],
    ['an infinite number', 'age=1e999', 'InvalidSelector', 'must be a finite number'],
    ['an invalid number in a set', 'age=(1,x)', 'InvalidSelector', '"x" is not a number'],
    ['an invalid boolean', 'spec.on=yes', 'InvalidSelector', '"yes" is neither true nor false'],
    ['an invalid time', 'spec.seen>2030', 'InvalidSelector', '"2030" must be a date and time'],
    ['a prefix of a number', 'age^=1', 'InvalidSelector', 'age is a number; "^=" is only for strings'],
    ['a value that is too long', `spec.city=${'x'.repeat(513)}`, 'InvalidSelector', 'has 513 bytes'],
  ]
  for (const [what, fieldSelector, reason, message] of cases) {
    test(what, () => {
      expect(() => termsOf(model, query({ fieldSelector }))).toThrow(
        expect.objectContaining({ reason, message: expect.stringContaining(message) as string }) as Error,
      )
    })
  }
})

describe('sorts by', () => {
  const cases: readonly (readonly [sort: string, descending: boolean])[] = [
    ['spec.city', false],
    ['age', true],
    ['age,asc', false],
    ['spec.city,DESC', true],
    [' spec.city , desc ', true],
    ['metadata.creationTimestamp', false],
  ]
  for (const [sort, descending] of cases) {
    test(sort, () => {
      const [field] = sort.trim().split(/[ ,]/)
      expect(sortOf(model, query({ sort }))).toEqual([{ field, descending }])
    })
  }

  test('several keys, in their order', () => {
    const sort = new URLSearchParams('sort=age&sort=spec.city,desc')
    expect(sortOf(model, sort).map(({ field }) => field)).toEqual(['age', 'spec.city'])
  })
})

describe('rejects a sort by', () => {
  const cases: readonly (readonly [sort: string, reason: string])[] = [
    ['spec.tags', 'BadRequest'],
    ['metadata.labels', 'FieldNotIndexed'],
    ['spec.none', 'FieldNotIndexed'],
    ['', 'FieldNotIndexed'],
    ['spec.city,up', 'BadRequest'],
    ['spec.city,asc,desc', 'BadRequest'],
    ['spec.city,', 'BadRequest'],
  ]
  for (const [sort, reason] of cases) {
    test(`"${sort}"`, () => {
      expect(() => sortOf(model, query({ sort }))).toThrow(expect.objectContaining({ reason }) as Error)
    })
  }
})
