import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inOrder } from './in-order.ts'

test('work runs with bounded concurrency and results come in the order of the input', async () => {
  let running = 0
  let most = 0
  const told: number[] = []
  const given = Array.from({ length: 50 }, (_, at) => at)
  const work = async (at: number) => {
    most = Math.max(most, ++running)
    await sleep((at * 7) % 5)
    running--
    return at
  }
  for await (const done of inOrder(given, 4, work)) told.push(done)
  expect(told).toEqual(given)
  expect(most).toBe(4)
})

test('an error is thrown after the results that precede it', async () => {
  const told: number[] = []
  const work = async (at: number) => {
    if (at === 2) throw new Error('two')
    return at
  }
  const all = async () => {
    for await (const done of inOrder([0, 1, 2, 3], 4, work)) told.push(done)
  }
  await expect(all()).rejects.toThrow('two')
  expect(told).toEqual([0, 1])
})
