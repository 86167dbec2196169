import { createDatabase } from '@pergola/test-servers'
import { expect, inject, test } from 'vitest'
import { createLog } from '../../server/src/base/log.ts'
import { create, people } from '../../server/src/store/contract/fixture.ts'
import { openPostgresStore } from '../../server/src/store/postgres/postgres-store.ts'
import type { Change, PackedChange, LogPosition } from '../../server/src/store/store.ts'
import { createHandingOut } from '../../server/src/feed/handing-out.ts'
import type { FeedMetrics } from './feed-metrics.ts'
import { packMessages, packPosition } from './message.ts'
import { sealsOf } from './seals.ts'
import { createStanding } from './standing.ts'
import { readLog, take, type FeedParts } from './take.ts'

const log = createLog({ level: 'error', pretty: false, write: () => {} })
const seals = sealsOf(Buffer.alloc(32, 1))

/** A feed at the beginning of a log of six changes; each test sends the messages. */
async function openFeed({ cutOff = false } = {}) {
  const stack = new AsyncDisposableStack()
  const { url } = stack.use(await createDatabase(inject('postgres')['18']))
  const store = stack.use(await openPostgresStore({ url, onConnectionLost: () => {} }))
  await store.openModel(people)
  const start = await store.head()
  await store.write([create('first')])
  await expect.poll(() => store.head()).not.toBe(start)
  const handing = createHandingOut(store, log)
  await handing.start()
  const from = handing.position
  const got: Change[] = []
  handing.subscribe('delivery', { onChanges: (changes) => void got.push(...changes), onLost: () => {} })
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await store.write([create(name)])
  await expect.poll(async () => Number((await store.head()).split('.')[0])).toBe(from.number + 6)
  const changes = (await store.packedLog?.read(handing.revision, { limit: 9, waitMs: 0 })) ?? []
  const counts = { filledGap: 0, droppedDuplicate: 0, refusedSeal: 0, fellBack: 0, relayed: 0, fenced: 0 }
  const count = (name: keyof FeedMetrics) => () => void counts[name]++
  const metrics: FeedMetrics = {
    filledGap: count('filledGap'),
    droppedDuplicate: count('droppedDuplicate'),
    refusedSeal: count('refusedSeal'),
    fellBack: count('fellBack'),
    relayed: count('relayed'),
    fenced: count('fenced'),
  }
  const standing = createStanding(handing)
  const readChanges = () => Promise.reject(new Error('the database does not answer'))
  const parts: FeedParts = {
    store: cutOff ? Object.assign(Object.create(store) as typeof store, { readChanges }) : store,
    log,
    handing,
    standing,
    metrics,
    seals,
    signal: new AbortController().signal,
    inTurn: (work) => work(),
    quiet: {},
  }
  const positionAt = (at: number): LogPosition => (at === 0 ? from : (changes[at - 1]?.position ?? from))
  return {
    store,
    handing,
    standing,
    counts,
    positionAt,
    changes,
    names: () => got.map(({ object }) => object.name).join(''),
    take: (bytes: Buffer) => take(parts, bytes),
    readLog: () => readLog(parts, 0),
    /** The changes between two positions, as the relay would send them. */
    message: (begin: number, end: number, how: { from?: LogPosition; changes?: readonly PackedChange[] } = {}) => {
      const carried = how.changes ?? changes.slice(begin, end)
      const [message] = packMessages(how.from ?? positionAt(begin), carried, 100_000)
      return seals.seal(message?.bytes ?? packPosition(positionAt(begin)))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('consecutive messages are delivered without reading the log', async () => {
  await using feed = await openFeed()
  await feed.take(feed.message(0, 2))
  expect(feed.names()).toBe('ab')
  await feed.take(feed.message(2, 6))
  expect(feed.names()).toBe('abcdef')
  expect(feed.handing.position).toEqual(feed.positionAt(6))
  expect(feed.counts).toMatchObject({ filledGap: 0, droppedDuplicate: 0 })
})

test('changes that were handed out already are dropped, wholly or in part', async () => {
  await using feed = await openFeed()
  await feed.take(feed.message(0, 3))
  await feed.take(feed.message(0, 3))
  await feed.take(feed.message(1, 2))
  expect(feed.names()).toBe('abc')
  await feed.take(feed.message(1, 5))
  expect(feed.names()).toBe('abcde')
  expect(feed.counts.droppedDuplicate).toBe(2)
})

test('changes missing before a message are read from the log', async () => {
  await using feed = await openFeed()
  await feed.take(feed.message(0, 1))
  await feed.take(feed.message(3, 5))
  expect(feed.names().startsWith('abcde')).toBe(true)
  expect(feed.counts.filledGap).toBe(1)
  await feed.take(feed.message(5, 6))
  expect(feed.names()).toBe('abcdef')
})

test('a gap that cannot be read delays everything behind it', async () => {
  await using feed = await openFeed({ cutOff: true })
  await feed.take(feed.message(0, 1))
  await feed.take(feed.message(3, 5))
  expect(feed.names()).toBe('a')
  expect(feed.handing.position).toEqual(feed.positionAt(1))
  await feed.take(feed.message(1, 6))
  expect(feed.names()).toBe('abcdef')
})

test('a change that a message only names is read from the log', async () => {
  await using feed = await openFeed()
  const [, , , named] = feed.changes
  if (!named) throw new Error('there is no such change')
  const [message] = packMessages(feed.positionAt(3), [{ ...named, data: Buffer.alloc(1_000_000, 'x') }], 100_000)
  await feed.take(feed.message(0, 3))
  await feed.take(seals.seal(message?.bytes ?? Buffer.alloc(0)))
  expect(feed.names().startsWith('abcd')).toBe(true)
  await feed.take(feed.message(4, 6))
  expect(feed.names()).toBe('abcdef')
})

test('a message of another history is not delivered; the log is read instead', async () => {
  await using feed = await openFeed()
  await feed.take(feed.message(0, 1))
  const foreign = feed.changes.slice(1, 3).map((change) => ({ ...change, about: change.about.replace('example', 'x') }))
  const other = {
    from: { ...feed.positionAt(1), tag: '1' },
    changes: foreign.map((one) => ({ ...one, about: 'nonsense' })),
  }
  await feed.take(feed.message(1, 3, other))
  expect(feed.names().slice(0, 3)).toBe('abc')
  await feed.take(feed.message(3, 6))
  expect(feed.names()).toBe('abcdef')
})

test('a message with an invalid seal is only counted', async () => {
  await using feed = await openFeed()
  const bytes = feed.message(0, 3)
  bytes[0] = (bytes[0] ?? 0) ^ 1
  await feed.take(bytes)
  expect(feed.names()).toBe('')
  expect(feed.counts.refusedSeal).toBe(1)
  expect(feed.standing.stream).toBeUndefined()
})

test('a proof counts from the time of the question, and only if NATS has delivered everything', async () => {
  await using feed = await openFeed()
  const { standing } = feed
  await feed.take(feed.message(0, 3))
  standing.told(feed.positionAt(5), 1_000)
  expect(standing.provenAt()).toBe(Number.NEGATIVE_INFINITY)
  expect(standing.late()).toBeGreaterThanOrEqual(0)
  await feed.take(feed.message(3, 6))
  expect(standing.provenAt()).toBe(1_000)
  expect(standing.late()).toBe(Number.NEGATIVE_INFINITY)
  standing.told({ ...feed.positionAt(6), tag: '1' }, 2_000)
  expect(standing.provenAt()).toBe(1_000)
})

test('changes read from the log do not prove that NATS delivers', async () => {
  await using feed = await openFeed()
  const { standing } = feed
  await feed.take(feed.message(0, 3))
  await feed.readLog()
  expect(feed.names()).toBe('abcdef')
  standing.told(feed.positionAt(6), 1_000)
  expect(standing.provenAt()).toBe(Number.NEGATIVE_INFINITY)
  await feed.take(feed.message(3, 6))
  expect(standing.provenAt()).toBe(1_000)
  expect(feed.names()).toBe('abcdef')
})
