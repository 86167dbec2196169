import { describe, expect, test } from 'vitest'
import { valuesAtPath } from './path-index.ts'

describe('the values at a path:', () => {
  const cases: readonly (readonly [what: string, object: unknown, values: readonly (readonly [string, unknown])[]])[] =
    [
      ['one', { spec: { a: { b: 'x' } } }, [['/spec/a/b', 'x']]],
      ['false and zero are values', { spec: { a: { b: false } } }, [['/spec/a/b', false]]],
      [
        'several, but for null',
        { spec: { a: { b: ['x', null, 'y'] } } },
        [
          ['/spec/a/b/0', 'x'],
          ['/spec/a/b/2', 'y'],
        ],
      ],
      ['none for null', { spec: { a: { b: null } } }, []],
      ['none where the way ends', { spec: { a: 7 } }, []],
      ['none where the way goes through an array', { spec: { a: [{ b: 'x' }] } }, []],
      ['none where there is nothing', {}, []],
    ]
  for (const [what, object, values] of cases) {
    test(what, () => {
      expect(valuesAtPath(object, 'spec.a.b').map(({ pointer, value }) => [pointer, value])).toEqual(values)
    })
  }

  test('what every object has is no value', () => expect(valuesAtPath({ spec: {} }, 'spec.constructor')).toEqual([]))
  test('a pointer is escaped', () => {
    expect(valuesAtPath({ spec: { 'a/b~': 1 } }, 'spec.a/b~')).toEqual([{ pointer: '/spec/a~1b~0', value: 1 }])
  })
})
