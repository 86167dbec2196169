import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

test('tasks run one by one in order, also after a failed task', async () => {
  const turns = createTurns({ atATime: 1 })
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
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => turns.run(work(name))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(done).toEqual(['a', 'b', 'c'])
})

test('no more tasks run at a time than allowed, and none fewer while some wait', async () => {
  const turns = createTurns({ atATime: 3 })
  const seen: number[] = []
  let running = 0
  const work = async () => {
    seen.push(++running)
    await sleep(1)
    running--
  }
  await Promise.all(Array.from({ length: 9 }, () => turns.run(work)))
  expect(Math.max(...seen)).toBe(3)
  expect(seen.slice(3)).toEqual([3, 3, 3, 3, 3, 3])
})

test('the queue is bounded, and accepts tasks again later', async () => {
  const turns = createTurns({ atATime: 1, mostWaiting: 1, what: 'tasks' })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = turns.run(() => promise)
  const second = turns.run(async () => 'second')
  await expect(turns.run(async () => 'third')).rejects.toMatchObject({
    reason: 'TooManyRequests',
    message: expect.stringContaining('1 tasks are queued already'),
  })
  resolve()
  await first
  expect(await second).toBe('second')
  expect(await turns.run(async () => 'again')).toBe('again')
})

test('a task with priority goes before the others, and is not refused', async () => {
  const turns = createTurns({ atATime: 1, mostWaiting: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const done: string[] = []
  const work = (name: string) => async () => void done.push(name)
  const all = [
    turns.run(() => promise),
    turns.run(work('other')),
    turns.run(work('first'), { hasPriority: true }),
    turns.run(work('next'), { hasPriority: true }),
  ]
  resolve()
  await Promise.all(all)
  expect(done).toEqual(['first', 'next', 'other'])
})
