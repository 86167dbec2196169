import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Call } from '../call/call.ts'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import type { Wire } from '../call/wire.ts'
import type { Feed, FeedSubscriber } from '../feed/feed.ts'
import { modelSpec, sqliteReplica, testGroup, type Replica } from '../models/contract/replica.ts'
import type { Model } from '../models/model.ts'
import { createStreamLimits, watches } from '../models/query/stream-limits.ts'
import { decodeRevision } from '../store/revision.ts'
import type { LogPosition } from '../store/store.ts'
import { createTurns } from '../base/turns.ts'
import { createWatchHub } from './watch-hub.ts'
import { watchObjects } from './watch-objects.ts'

let replica: Replica
let model: Model
beforeAll(async () => {
  replica = await sqliteReplica()
  await replica.declare(modelSpec({ city: { type: 'string' } }))
  model = await replica.registry.find({ group: testGroup, version: 'v1', plural: 'things' })
})
afterAll(() => replica[Symbol.asyncDispose]())

interface SleepingFeed extends Feed {
  /** Loses its position. */
  wakeUp(): Promise<void>
  /** Delivers everything since it fell asleep as one batch. */
  catchUp(): Promise<void>
}

/** A feed that does not advance, like that of a suspended process. */
async function sleepingFeed(): Promise<SleepingFeed> {
  const subscribers = new Set<FeedSubscriber>()
  const start = await replica.store.head()
  let position: LogPosition = decodeRevision(start)
  return {
    start: async () => {},
    get position() {
      return position
    },
    recent: () => undefined,
    isCurrent: () => true,
    lagMs: () => 0,
    subscribe: (_, subscriber) => {
      subscribers.add(subscriber)
      return { [Symbol.dispose]: () => subscribers.delete(subscriber) }
    },
    wakeUp: async () => {
      position = decodeRevision(await replica.store.head())
      for (const { onLost } of subscribers) await onLost()
    },
    catchUp: async () => {
      const { changes } = await replica.store.readChanges(start, {
        limit: 1_000,
        maxBytes: 64 * 1024 * 1024,
        waitMs: 0,
      })
      position = changes.at(-1)?.position ?? position
      for (const { onChanges } of subscribers) await onChanges(changes)
    },
    [Symbol.dispose]: () => {},
  }
}

/** Records events as `ADDED n-1`, and errors by status. */
function keepingWire(lines: string[]): Wire {
  return {
    closed: false,
    waiting: 0,
    send: ({ json }) => {
      const { type, object } = JSON.parse(Buffer.concat(json).toString()) as {
        readonly type: string
        readonly object: { readonly metadata?: { readonly name: string }; readonly status?: unknown }
      }
      lines.push(`${type} ${object.metadata?.name ?? String(object.status)}`)
    },
    drained: async () => {},
    close: () => {},
    probe: () => {},
  }
}

function callFrom(revision: string): Call {
  return {
    info: { kind: 'resource', verb: 'watch', path: '/things', group: testGroup, version: 'v1', resource: 'things' },
    caller: { kind: 'anonymous' },
    request: {
      id: 'r-1',
      method: 'GET',
      target: '/things',
      headers: {},
      query: new URLSearchParams({ revision }),
      address: '127.0.0.1',
      readBody: async () => Buffer.alloc(0),
      signal: () => new AbortController().signal,
      note: () => {},
    },
    authenticate: async () => ({ kind: 'anonymous' }),
    recheck: async () => ({ kind: 'anonymous' }),
  }
}

/** A reader that has everything after each turn of the event loop. */
function promptWire(lines: string[]): Wire {
  let waiting = 0
  const wire = keepingWire(lines)
  return {
    ...wire,
    get waiting() {
      return waiting
    },
    send: (frame) => {
      waiting += frame.json.reduce((sum, part) => sum + part.length, 0)
      setImmediate(() => (waiting = 0))
      wire.send(frame)
    },
  }
}

test('a batch of any size does not make a prompt reader look slow', async () => {
  const { store } = replica
  const log = createLog({ level: 'error', pretty: false, write: () => {} })
  const feed = await sleepingFeed()
  using hub = createWatchHub({ feed, clock: systemClock, log, concerned: () => new Set(), settle: async () => {} })
  hub.start()
  const limits = createStreamLimits({ inAll: 10, perCaller: 10, ...watches })
  const parts = { store, clock: systemClock, hub, reading: createTurns({ atATime: 8 }), limits }
  const stream = await watchObjects(parts, model, { call: callFrom(await store.head()), name: undefined })
  const lines: string[] = []
  stream.open(promptWire(lines))
  await sleep(50)
  const names = Array.from({ length: 40 }, (_, at) => `large-${at}`)
  for (const name of names)
    await replica.of('things').create({ metadata: { name }, spec: { city: 'x'.repeat(90_000) } })
  await feed.catchUp()
  expect(lines).toEqual(names.map((name) => `ADDED ${name}`))
})

test('when the feed loses its position, a watch ahead of it misses nothing and gets no error', async () => {
  const { store } = replica
  const log = createLog({ level: 'error', pretty: false, write: () => {} })
  const feed = await sleepingFeed()
  using hub = createWatchHub({ feed, clock: systemClock, log, concerned: () => new Set(), settle: async () => {} })
  hub.start()
  const limits = createStreamLimits({ inAll: 10, perCaller: 10, ...watches })
  const parts = { store, clock: systemClock, hub, reading: createTurns({ atATime: 8 }), limits }
  const open = async (revision: string) => {
    const lines: string[] = []
    const stream = await watchObjects(parts, model, { call: callFrom(revision), name: undefined })
    stream.open(keepingWire(lines))
    return lines
  }
  const behind = await open(await store.head())
  await sleep(50)
  await replica.of('things').create({ metadata: { name: 'first' }, spec: {} })
  const further = await open(await store.head())
  await sleep(50)
  await replica.of('things').create({ metadata: { name: 'second' }, spec: {} })
  await sleep(50)
  expect([behind, further]).toEqual([[], []])
  await feed.wakeUp()
  await expect.poll(() => further).toEqual(['ADDED second'])
  expect(behind).toEqual(['ERROR 410'])
})

test('a watch that is opened while the server stops ends at once', async () => {
  const { store } = replica
  const log = createLog({ level: 'error', pretty: false, write: () => {} })
  const feed = await sleepingFeed()
  using hub = createWatchHub({ feed, clock: systemClock, log, concerned: () => new Set(), settle: async () => {} })
  hub.start()
  const limits = createStreamLimits({ inAll: 10, perCaller: 10, ...watches })
  const parts = { store, clock: systemClock, hub, reading: createTurns({ atATime: 8 }), limits }
  const lines: string[] = []
  const stream = await watchObjects(parts, model, { call: callFrom(await store.head()), name: undefined })
  hub.drain()
  stream.open(keepingWire(lines))
  await expect.poll(() => lines).toEqual(['ERROR 503'])
  expect(hub.size()).toBe(0)
})
