import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cloneJson } from './clone-json.ts'

test('a copy serializes to the same text and shares no object or array', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = cloneJson(value)
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
      const known = new Set(partsOf(value))
      expect(partsOf(copy).filter((part) => known.has(part))).toEqual([])
    }),
  )
})

test('the key __proto__ is copied like any other', () => {
  const copy = cloneJson(JSON.parse('{"__proto__":{"polluted":[1]}}')) as object
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":[1]}}')
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  expect('polluted' in copy).toBe(false)
})

function partsOf(any: unknown): readonly object[] {
  return typeof any === 'object' && any !== null ? [any, ...Object.values(any).flatMap(partsOf)] : []
}
