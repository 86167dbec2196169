import { expect, test } from 'vitest'
import { forEachOf } from './each-object.ts'

test('each item is done once, a few at a time, and failures do not stop the others', async () => {
  const done: number[] = []
  let [running, most] = [0, 0]
  const failures = await forEachOf(
    Array.from({ length: 20 }, (_, at) => at),
    async (item) => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running -= 1
      if (item === 7) throw new Error('refused')
      done.push(item)
    },
  )
  expect(done.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 20 }, (_, at) => at).filter((at) => at !== 7),
  )
  expect(failures.map(({ item }) => item)).toEqual([7])
  expect(most).toBeLessThanOrEqual(4)
})

test('work that has not begun at the stop is not done', async () => {
  const stop = new AbortController()
  const done: number[] = []
  await forEachOf(
    [1, 2, 3, 4, 5, 6, 7, 8],
    async (item) => {
      done.push(item)
      stop.abort()
    },
    { signal: stop.signal },
  )
  expect(done.length).toBeLessThan(8)
})
