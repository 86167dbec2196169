import { expect, test } from 'vitest'
import { createFrameQueue } from './frame-queue.ts'

const bounds = { frames: 3, characters: 10 }

async function readAll(queue: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = []
  for await (const frame of queue) read.push(frame)
  return read
}

test('the queue is bounded in frames and in characters, but always accepts one frame', async () => {
  const queue = createFrameQueue(bounds)
  expect(['a', 'b', 'c', 'd'].map((frame) => queue.push(frame))).toEqual([true, true, true, false])
  const long = createFrameQueue(bounds)
  expect(['x'.repeat(50), 'y'].map((frame) => long.push(frame))).toEqual([true, false])
  const full = createFrameQueue(bounds)
  expect(['12345', '12345', '1'].map((frame) => full.push(frame))).toEqual([true, true, false])
})

test('each frame read makes room for another', async () => {
  const queue = createFrameQueue(bounds)
  for (const frame of ['a', 'b', 'c']) queue.push(frame)
  const reading = queue[Symbol.asyncIterator]()
  expect((await reading.next()).value).toBe('a')
  expect([queue.push('d'), queue.push('e')]).toEqual([true, false])
  queue.end()
  expect(await readAll({ [Symbol.asyncIterator]: () => reading })).toEqual(['b', 'c', 'd'])
})

test('a reader gets all queued frames and then the first end', async () => {
  const queue = createFrameQueue(bounds)
  const reading = readAll(queue)
  await Promise.resolve()
  queue.push('a')
  queue.push('b')
  queue.end()
  queue.end(new Error('too late'))
  expect(queue.push('c')).toBe(false)
  expect(await reading).toEqual(['a', 'b'])
  const failing = createFrameQueue(bounds)
  failing.push('a')
  failing.end(new Error('cut'))
  const frames = failing[Symbol.asyncIterator]()
  expect((await frames.next()).value).toBe('a')
  await expect(frames.next()).rejects.toThrow('cut')
})
