import { describe, expect, test } from 'vitest'
import { valuesAtPath } from './path-index.ts'

describe('the values at a path:', () => {
  const cases: readonly (readonly [what: string, object: unknown, values: readonly (readonly [string, unknown])[]])[] =
    [
      ['one', { spec: { a: { b: 'x' } } }, [['/spec/a/b', 'x']]],
      ['false and zero are values', { spec: { a: { b: false } } }, [['/spec/a/b', false]]],
      [
        'several, without null',
        { spec: { a: { b: ['x', null, 'y'] } } },
        [
          ['/spec/a/b/0', 'x'],
          ['/spec/a/b/2', 'y'],
        ],
      ],
      ['none for null', { spec: { a: { b: null } } }, []],
      ['none if the path ends early', { spec: { a: 7 } }, []],
      ['none if the path crosses an array', { spec: { a: [{ b: 'x' }] } }, []],
      ['none for an empty object', {}, []],
    ]
  for (const [what, object, values] of cases) {
    test(what, () => {
      expect(valuesAtPath(object, 'spec.a.b').map(({ pointer, value }) => [pointer, value])).toEqual(values)
    })
  }

  test('members of Object.prototype are no values', () =>
    expect(valuesAtPath({ spec: {} }, 'spec.constructor')).toEqual([]))
  test('a pointer is escaped', () => {
    expect(valuesAtPath({ spec: { 'a/b~': 1 } }, 'spec.a/b~')).toEqual([{ pointer: '/spec/a~1b~0', value: 1 }])
  })
})
