import { afterEach, beforeAll, expect, it } from 'vitest'
import { keepBuiltIns, putBackBuiltIns } from './built-ins.ts'

beforeAll(keepBuiltIns)
afterEach(putBackBuiltIns)

const open = globalThis as unknown as Record<string, unknown>
const replace = (of: object, key: PropertyKey, value: unknown = () => undefined) =>
  Object.defineProperty(of, key, { value, configurable: true, writable: true })

it('nothing is put back as long as nothing is replaced', () => {
  expect(putBackBuiltIns()).toEqual([])
})

it.each<[string, () => unknown]>([
  ['Array.prototype.map', () => replace(Array.prototype, 'map')],
  ['Array.prototype.Symbol(Symbol.iterator)', () => Reflect.deleteProperty(Array.prototype, Symbol.iterator)],
  ['fetch', () => (open['fetch'] = () => undefined)],
  ['Promise', () => (open['Promise'] = {})],
  ['JSON.parse', () => (JSON.parse = () => undefined)],
  ['JSON', () => (open['JSON'] = {})],
  ['Map.prototype.size', () => replace(Map.prototype, 'size', 0)],
  ['performance.now', () => (performance.now = () => 0)],
  ['Iterator.prototype.next', () => replace(Object.getPrototypeOf(new Set().values()) as object, 'next')],
  ['Object.defineProperty', () => (Object.defineProperty = <T>(of: T) => of)],
])('puts back %s', (name, act) => {
  const before = [1].map((one) => one + 1)
  act()
  const found = putBackBuiltIns()
  expect(found).toEqual([name])
  expect([1].map((one) => one + 1)).toEqual(before)
  expect(putBackBuiltIns()).toEqual([])
})

it('removes what appears in every object, and leaves what does not', () => {
  const objects = Object.prototype as unknown as Record<string, unknown>
  objects['added'] = 1
  replace(Array.prototype, 'hidden', 1)
  expect(putBackBuiltIns()).toEqual(['added'])
  expect('added' in {}).toBe(false)
  expect('hidden' in []).toBe(true)
  Reflect.deleteProperty(Array.prototype, 'hidden')
})
