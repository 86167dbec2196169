import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createOneAtATime } from './one-at-a-time.ts'

test('tasks with the same key run one by one in order, also after a failed task', async () => {
  const line = createOneAtATime(10)
  const done: string[] = []
  let running = 0
  const work = (name: string) => async () => {
    expect(++running).toBe(1)
    await sleep(1)
    running--
    done.push(name)
    if (name === 'b') throw new Error('b fails')
    return name
  }
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => line.run('x', work(name))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(done).toEqual(['a', 'b', 'c'])
})

test('tasks with different keys do not wait for each other, and the queue is bounded', async () => {
  const line = createOneAtATime(1)
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = line.run('x', () => promise)
  const second = line.run('x', async () => 'second')
  await expect(line.run('x', async () => 'third')).rejects.toMatchObject({ reason: 'TooManyRequests' })
  expect(await line.run('y', async () => 'other')).toBe('other')
  resolve()
  await first
  expect(await second).toBe('second')
  expect(await line.run('x', async () => 'again')).toBe('again')
})
