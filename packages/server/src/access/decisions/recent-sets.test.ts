import { expect, test } from 'vitest'
import type { CompiledRules } from './compile-rules.ts'
import { createRecentSets } from './recent-sets.ts'

const set = (cells = 1): CompiledRules => ({ cells, find: () => undefined })
const keys = Array.from({ length: 1_000 }, (_, at) => `key-${at}`)

test('at most so many sets are kept, the last half of them for certain', () => {
  const recent = createRecentSets({ maxSets: 10, maxCells: 1_000_000 })
  for (const key of keys) recent.add(key, set())
  for (const key of keys.slice(-5)) expect(recent.get(key), key).toBeDefined()
  const kept = keys.filter((key) => recent.get(key))
  expect(kept.length).toBeLessThanOrEqual(10)
})

test('what is used again and again is kept', () => {
  const recent = createRecentSets({ maxSets: 10, maxCells: 1_000_000 })
  const favourite = set()
  recent.add('favourite', favourite)
  for (const key of keys) {
    recent.add(key, set())
    expect(recent.get('favourite')).toBe(favourite)
  }
})

test('large sets are fewer, and one that is larger than the bound stands alone', () => {
  const recent = createRecentSets({ maxSets: 1_000, maxCells: 100 })
  for (const key of keys) recent.add(key, set(10))
  for (const key of keys.slice(-5)) expect(recent.get(key), key).toBeDefined()
  expect(keys.filter((key) => recent.get(key)).length).toBeLessThanOrEqual(10)
  recent.add('huge', set(1_000))
  recent.add('next', set(10))
  expect(recent.get('huge')).toBeDefined()
})
