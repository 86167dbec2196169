import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cloneJson } from '../../../base/clone-json.ts'
import { deepEqual } from '../../../base/deep-equal.ts'
import { isJsonObject } from '../../../base/json-object.ts'
import { mergePatch } from './merge-patch.ts'

describe('a merge patch', () => {
  const cases: readonly (readonly [what: string, target: unknown, patch: unknown, result: unknown])[] = [
    ['replaces a value', { title: 'milk' }, { title: 'bread' }, { title: 'bread' }],
    ['adds a key', { title: 'milk' }, { due: 'today' }, { title: 'milk', due: 'today' }],
    ['removes a key with null', { title: 'milk', due: 'today' }, { due: null }, { title: 'milk' }],
    ['ignores null for a missing key', { title: 'milk' }, { due: null }, { title: 'milk' }],
    ['replaces an array as a whole', { tags: ['a', 'b'] }, { tags: ['c'] }, { tags: ['c'] }],
    ['replaces an array by a text', { tags: ['a'] }, { tags: 'a' }, { tags: 'a' }],
    ['merges nested objects', { spec: { a: 1, b: 2 } }, { spec: { b: null, c: 3 } }, { spec: { a: 1, c: 3 } }],
    ['does not merge arrays', { list: [{ a: 1 }] }, { list: [{ b: null }] }, { list: [{ b: null }] }],
    ['that is an array replaces everything', { a: 1 }, ['x'], ['x']],
    ['that is null replaces everything', { a: 1 }, null, null],
    ['that is a text replaces everything', { a: 1 }, 'x', 'x'],
    ['replaces another value with an object', ['x'], { a: 1, b: null }, { a: 1 }],
    ['keeps an existing null', { a: null }, { b: 1 }, { a: null, b: 1 }],
    ['creates a new object without its nulls', {}, { a: { b: { c: null } } }, { a: { b: {} } }],
    ['that is empty changes nothing', { a: [1] }, {}, { a: [1] }],
    ['treats keys of the prototype like any', {}, { toString: null, constructor: { a: 1 } }, { constructor: { a: 1 } }],
  ]
  for (const [what, target, patch, result] of cases) {
    test(what, () => expect(mergePatch(target, patch)).toEqual(result))
  }

  test('keeps the order of keys and appends new ones', () => {
    expect(JSON.stringify(mergePatch({ c: 1, a: 2, b: 3 }, { e: 1, a: 4, c: null, d: 5 }))).toBe(
      '{"a":4,"b":3,"e":1,"d":5}',
    )
  })

  test('never changes a prototype', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as unknown
    const result = mergePatch({}, patch) as object
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(JSON.stringify(result)).toBe(JSON.stringify(patch))
    expect('polluted' in {}).toBe(false)
  })
})

const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, 1, 'x', true),
    fc.array(fc.oneof(tie('any'), fc.constant(null)), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'toString'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any

/** Null for a removed key, the new value for an added one, and a nested difference for objects. */
function difference(from: unknown, to: unknown): unknown {
  if (!isJsonObject(from) || !isJsonObject(to)) return to
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key))
  const changed = Object.keys(to).filter((key) => !deepEqual(Object.hasOwn(from, key) ? from[key] : undefined, to[key]))
  return Object.fromEntries([
    ...gone.map((key) => [key, null] as const),
    ...changed.map((key) => [key, difference(Object.hasOwn(from, key) ? from[key] : undefined, to[key])] as const),
  ])
}

test('the difference of any two values turns one into the other, and shares no object with them', () => {
  fc.assert(
    fc.property(value, value, (from, to) => {
      const before = cloneJson(from)
      const patch = cloneJson(difference(from, to))
      const result = mergePatch(from, patch)
      expect(result).toEqual(to)
      empty(result)
      expect(from).toEqual(before)
      expect(patch).toEqual(difference(from, to))
    }),
    { numRuns: 500 * Number(process.env['CASES'] ?? 1) },
  )
})

/** Empties a value, innermost first. */
function empty(any: unknown): void {
  if (typeof any !== 'object' || any === null) return
  Object.values(any).forEach(empty)
  if (Array.isArray(any)) any.length = 0
  else for (const key of Object.keys(any)) Reflect.deleteProperty(any, key)
}
