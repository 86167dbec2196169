import { expect, test } from 'vitest'
import { createRecent } from './recent.ts'

const keysOf = (recent: ReturnType<typeof createRecent<number>>) => Array.from(recent.entries(), ([key]) => key)

test('never more than the most is kept, and what is used stays', () => {
  const recent = createRecent<number>(100)
  recent.set('used', 0)
  for (let at = 1; at <= 10_000; at++) {
    recent.set(`once-${at}`, at)
    expect(recent.get('used')).toBe(0)
    expect(keysOf(recent).length).toBeLessThanOrEqual(100)
  }
  expect(recent.get('once-10000')).toBe(10_000)
  expect(recent.get('once-1')).toBeUndefined()
  expect(new Set(keysOf(recent)).size).toBe(keysOf(recent).length)
})

test('what is set again has the new value, and what is deleted is gone, wherever it was', () => {
  const recent = createRecent<number>(4)
  for (const [at, key] of ['a', 'b', 'c'].entries()) recent.set(key, at)
  recent.set('a', 10)
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([10, 1, 2])
  recent.set('d', 3)
  for (const key of ['a', 'd']) recent.delete(key)
  expect([recent.get('a'), recent.get('d')]).toEqual([undefined, undefined])
  recent.clear()
  expect(keysOf(recent)).toEqual([])
})
