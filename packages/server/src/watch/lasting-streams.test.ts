import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@pergola/api'
import { expect, test } from 'vitest'
import type { Call, Caller, UserCaller } from '../call/call.ts'
import type { Feed, FeedSubscriber } from '../feed/feed.ts'
import { createStreamLimits, watches } from '../models/query/stream-limits.ts'
import { createLastingStreams } from './lasting-streams.ts'

/** Longer than the interval of the expiry check. */
const patience = { timeout: 60_000 }
const minute = 60_000

/** Streams with a clock, rights and changes that the test controls. */
function started() {
  const world = { now: 0, gone: new Set<string>(), expiresAt: undefined as number | undefined }
  const subscribers = new Set<FeedSubscriber>()
  const feed: Feed = {
    start: async () => {},
    position: { number: 0, tag: '' },
    recent: () => undefined,
    isCurrent: () => true,
    lagMs: () => 0,
    subscribe: (_, subscriber) => {
      subscribers.add(subscriber)
      return { [Symbol.dispose]: () => subscribers.delete(subscriber) }
    },
    [Symbol.dispose]: () => {},
  }
  const changed = new Set<string>()
  const streams = createLastingStreams({
    feed,
    clock: { now: () => world.now },
    concerned: () => changed,
    settle: async () => {},
    limits: createStreamLimits({ inAll: 10, perCaller: 2, ...watches }),
  })
  const ends: string[] = []
  const callOf = (name: string): Pick<Call, 'caller' | 'request' | 'recheck'> => {
    const caller: UserCaller = { kind: 'user', name, uid: `uid-${name}`, via: 'token' }
    const recheck = async (): Promise<Caller> => {
      if (world.gone.has(name)) throw new ApiError('Forbidden', 'no longer')
      return { ...caller, ...(world.expiresAt !== undefined && { expiresAt: world.expiresAt }) }
    }
    return { caller, recheck, request: { address: '127.0.0.1' } as Call['request'] }
  }
  const begin = (name: string) =>
    streams.begin(callOf(name), (why) => ends.push(`${name} ${why instanceof ApiError ? why.reason : String(why)}`))
  const change = async (...names: readonly string[]) => {
    for (const name of names) changed.add(name)
    for (const { onChanges } of subscribers) await onChanges([])
    changed.clear()
  }
  return { streams, world, ends, begin, change, subscribers }
}

test('a stream ends with the change that revokes its right; others continue', async () => {
  const { world, ends, begin, change } = started()
  await begin('ann')
  await begin('bob')
  world.gone.add('ann')
  await change('bob')
  expect(ends).toEqual([])
  await change('ann', 'bob')
  await change('ann', 'bob')
  expect(ends).toEqual(['ann Forbidden'])
})

test('a revoked credential ends the streams of its user', async () => {
  const { streams, world, ends, begin } = started()
  await begin('ann')
  world.gone.add('ann')
  await streams.recheck('uid-bob')
  expect(ends).toEqual([])
  await streams.recheck('uid-ann')
  expect(ends).toEqual(['ann Forbidden'])
})

test('a stream is rechecked when its credential expires', async () => {
  const { world, ends, begin } = started()
  world.expiresAt = 1_000
  await begin('ann')
  world.now = 2_000
  world.gone.add('ann')
  await expect.poll(() => ends, patience).toEqual(['ann Forbidden'])
})

test('a stream that is rejected by its first recheck uses no slot', async () => {
  const { world, begin } = started()
  world.gone.add('ann')
  for (let times = 0; times < 5; times++) await expect(begin('ann')).rejects.toMatchObject({ reason: 'Forbidden' })
  world.gone.clear()
  await expect(begin('ann')).resolves.toBeDefined()
})

test('a slot is released once when a stream ends', async () => {
  const { begin } = started()
  const first = await begin('ann')
  await begin('ann')
  await expect(begin('ann')).rejects.toMatchObject({ reason: 'TooManyRequests' })
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await begin('ann')
  await expect(begin('ann')).rejects.toMatchObject({ reason: 'TooManyRequests' })
})

test('a stream ends after 30 to 60 minutes, without an error', async () => {
  const { world, ends, begin } = started()
  await begin('ann')
  world.now = 29 * minute
  await sleep(1_500)
  expect(ends).toEqual([])
  world.now = 60 * minute
  await expect.poll(() => ends, patience).toEqual(['ann undefined'])
})

test('draining ends all streams, and disposing unsubscribes from the feed', async () => {
  const { streams, ends, begin, subscribers } = started()
  await begin('ann')
  await begin('bob')
  streams.drain()
  streams.drain()
  await expect.poll(() => ends.toSorted()).toEqual(['ann Draining', 'bob Draining'])
  await expect(begin('eve')).rejects.toMatchObject({ reason: 'Draining' })
  streams[Symbol.dispose]()
  expect(subscribers.size).toBe(0)
})
