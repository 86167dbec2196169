import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { createDatabase, startNats, type NatsServer } from '@pergola/test-servers'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openLink } from '../../../tests/faults/watch/link.ts'
import { createLog } from '../../server/src/base/log.ts'
import { create, people } from '../../server/src/store/contract/fixture.ts'
import { openPostgresStore } from '../../server/src/store/postgres/postgres-store.ts'
import type { Change, Store } from '../../server/src/store/store.ts'
import type { Feed } from '../../server/src/feed/feed.ts'
import type { NatsFeed } from '../../server/src/feed/transport.ts'
import { createLogFeed } from '../../server/src/feed/log-feed.ts'
import { packMessages, unpackMessage, type ChangesMessage } from './message.ts'
import { createNatsFeed } from './nats-feed.ts'
import { startRelay } from './relay.ts'
import { loadSeals, sealsOf } from './seals.ts'
import { isFenced, streamOf, subjectsOf } from './stream.ts'
import { sql, statement } from '../../server/src/store/sql.ts'

let nats: NatsServer
beforeAll(async () => {
  nats = await startNats()
})
afterAll(() => nats[Symbol.asyncDispose]())

const quiet = createLog({ level: 'error', pretty: false, write: () => {} })
const settings = { name: 'pergola', replicas: 1, maxAgeSeconds: 600, maxBytes: 64 * 1024 * 1024 }

interface Replica extends AsyncDisposable {
  /** Counts reads of the change log. */
  readonly store: Store & { readings: number }
  readonly feed: NatsFeed
  readonly got: readonly Change[]
  names(): readonly string[]
  lost: number
}

/** A separate database with its own stream. */
async function openInstallation() {
  const stack = new AsyncDisposableStack()
  const { url } = stack.use(await createDatabase(inject('postgres')['18']))
  const stream = { ...settings, name: `s${url.split('/').at(-1)}` }
  const openStore = async (): Promise<Store & { readings: number }> => {
    const store = stack.use(await openPostgresStore({ url, onConnectionLost: () => {} }))
    await store.openModel(people)
    const counted = Object.assign(Object.create(store) as Store, { readings: 0 })
    counted.readChanges = (...asked) => {
      counted.readings++
      return store.readChanges(...asked)
    }
    return counted
  }
  const openReplica = async (address = nats.url): Promise<Replica> => {
    const store = await openStore()
    const feed = createNatsFeed({ store, log: quiet, address: { urls: [address] }, stream })
    await feed.start()
    const got: Change[] = []
    const replica: Replica = {
      store,
      feed,
      got,
      names: () => got.map(({ object }) => object.name),
      lost: 0,
      [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
    }
    feed.subscribe('delivery', { onChanges: (changes) => void got.push(...changes), onLost: () => void replica.lost++ })
    return stack.use(replica)
  }
  return { stream, openStore, openReplica, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function byNats(...replicas: readonly Replica[]): Promise<void> {
  const states = () => replicas.map(({ feed }) => feed.state().replace(/,.*/, ''))
  await expect.poll(states).toEqual(replicas.map(() => 'by NATS'))
}

async function write(store: Store, ...names: readonly string[]): Promise<void> {
  for (const name of names) await store.write([create(name)])
}

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

/** All messages of the stream, oldest first. */
async function messagesIn(connection: NatsConnection, { name }: typeof settings, store: Store) {
  const jsm = await jetstreamManager(connection)
  const { state } = await jsm.streams.info(name)
  const seals = await loadSeals(store)
  const found: { readonly message: ChangesMessage | undefined; readonly subject: string; readonly bytes: Buffer }[] = []
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const stored = await jsm.streams.getMessage(name, { seq })
    if (!stored) continue
    const bytes = Buffer.from(stored.data)
    found.push({ message: unpackMessage(seals, bytes), subject: stored.subject, bytes })
  }
  return found
}

async function openConnection(stack: AsyncDisposableStack): Promise<NatsConnection> {
  const connection = await connect({ servers: nats.url })
  stack.defer(() => connection.close())
  return connection
}

function isContiguous(messages: readonly (ChangesMessage | undefined)[]): boolean {
  return messages.every((message, at) => at === 0 || message?.from.number === messages[at - 1]?.to.number)
}

test('every replica gets every change by NATS once and in order, without reading the log', async () => {
  await using installation = await openInstallation()
  const [one, other] = [await installation.openReplica(), await installation.openReplica()]
  using logFeed: Feed = createLogFeed(await installation.openStore(), quiet)
  await logFeed.start()
  const fromLog: Change[] = []
  logFeed.subscribe('delivery', { onChanges: (changes) => void fromLog.push(...changes), onLost: () => {} })
  await byNats(one, other)
  const before = one.store.readings + other.store.readings
  const names = numbered('a', 60)
  await Promise.all([write(one.store, ...names.slice(0, 30)), write(other.store, ...names.slice(30))])
  const person = { name: 'grüße', text: 'ß ✓', labels: { k: 'ä\n"b' }, city: 'x', tags: ['t', 'u'] }
  await one.store.write([create(person)])
  await one.store.write([{ type: 'delete', model: people, name: 'grüße' }])
  await expect.poll(() => one.got.length).toBe(62)
  await expect.poll(() => other.got.length).toBe(62)
  await expect.poll(() => fromLog.length).toBe(62)
  expect(one.got).toEqual(fromLog)
  expect(other.got).toEqual(fromLog)
  expect(one.feed.position).toEqual(fromLog.at(-1)?.position)
  expect(one.store.readings + other.store.readings).toBe(before)
  expect(one.feed.isCurrent()).toBe(true)
})

test('an idle replica still proves that it is current', async () => {
  await using installation = await openInstallation()
  const replica = await installation.openReplica()
  await byNats(replica)
  const { readings } = replica.store
  await sleep(4_000)
  expect(replica.feed.isCurrent()).toBe(true)
  expect(replica.store.readings).toBe(readings)
})

test('while NATS is gone changes are read from the log; afterwards they arrive by NATS again', async () => {
  await using own = await startNats()
  await using installation = await openInstallation()
  const [one, other] = [await installation.openReplica(own.url), await installation.openReplica(own.url)]
  await byNats(one, other)
  await write(one.store, 'before')
  await own.kill()
  await write(one.store, ...numbered('during', 20))
  await expect.poll(() => other.names().length, { interval: 20 }).toBe(21)
  await sleep(3_000)
  expect(other.feed.isCurrent()).toBe(true)
  expect(other.feed.state()).toContain('read from the database')
  await own.restart()
  await byNats(one, other)
  const { readings } = other.store
  await write(one.store, 'behind')
  await expect.poll(() => other.names().at(-1)).toBe('behind')
  expect(other.names()).toEqual(['before', ...numbered('during', 20), 'behind'])
  expect(one.names()).toEqual(other.names())
  expect(other.store.readings).toBe(readings)
})

test('a stream that lost its data is rebuilt', async () => {
  await using own = await startNats()
  await using installation = await openInstallation()
  const replica = await installation.openReplica(own.url)
  await byNats(replica)
  await write(replica.store, ...numbered('a', 5))
  await own.kill()
  await own.restart({ wiped: true })
  await write(replica.store, ...numbered('b', 5))
  await byNats(replica)
  await write(replica.store, 'last')
  await expect.poll(() => replica.names().length).toBe(11)
  expect(replica.names()).toEqual([...numbered('a', 5), ...numbered('b', 5), 'last'])
  expect(replica.lost).toBe(0)
})

test('a replica starts without NATS and reads the log', async () => {
  await using installation = await openInstallation()
  const replica = await installation.openReplica('nats://127.0.0.1:1')
  await write(replica.store, 'a')
  await expect.poll(() => replica.names()).toEqual(['a'])
  expect(replica.feed.isCurrent()).toBe(true)
})

test('when the relay stops, another replica continues from its position', async () => {
  await using installation = await openInstallation()
  const first = await installation.openReplica()
  await expect.poll(() => first.feed.state()).toContain('carries the log')
  const second = await installation.openReplica()
  await byNats(second)
  await write(second.store, ...numbered('a', 5))
  await first[Symbol.asyncDispose]()
  await expect.poll(() => second.feed.state()).toContain('by NATS, and this replica carries the log')
  await write(second.store, ...numbered('b', 5))
  await expect.poll(() => second.names()).toEqual([...numbered('a', 5), ...numbered('b', 5)])
  await using stack = new AsyncDisposableStack()
  const connection = await openConnection(stack)
  const messages = await messagesIn(connection, installation.stream, second.store)
  expect(isContiguous(messages.map(({ message }) => message))).toBe(true)
})

test('when an idle relay is cut off from NATS, another one does its work', async () => {
  await using link = await openLink()
  link.target = nats.port
  await using installation = await openInstallation()
  const cut = await installation.openReplica(`nats://127.0.0.1:${link.port}`)
  await expect.poll(() => cut.feed.state()).toContain('by NATS, and this replica carries the log')
  const other = await installation.openReplica()
  await byNats(other)
  link.hold()
  await expect.poll(() => other.feed.state()).toContain('by NATS, and this replica carries the log')
  await write(other.store, 'a')
  await expect.poll(() => cut.names()).toEqual(['a'])
  await expect.poll(() => other.names()).toEqual(['a'])
  expect(cut.feed.isCurrent()).toBe(true)
  link.release()
  await byNats(cut, other)
})

test('a forged message is rejected, and a repeated message is not delivered again', async () => {
  await using stack = new AsyncDisposableStack()
  await using installation = await openInstallation()
  const replica = await installation.openReplica()
  await byNats(replica)
  await write(replica.store, 'a', 'b')
  await expect.poll(() => replica.names()).toEqual(['a', 'b'])
  const connection = await openConnection(stack)
  const js = jetstream(connection)
  const subject = subjectsOf(installation.stream).mixed
  const genuine = (await messagesIn(connection, installation.stream, replica.store)).filter(
    ({ message }) => (message?.changes.length ?? 0) > 0,
  )
  for (const { bytes } of genuine) await js.publish(subject, bytes)
  const { position, revision } = replica.got[1] ?? replica.got[0] ?? ({} as Change)
  const next = { number: position.number + 1, tag: '77' }
  const about =
    genuine
      .at(-1)
      ?.message?.changes.at(-1)
      ?.about.replace(/^\S+ \S+/, `${next.number} ${next.tag}`) ?? ''
  const forged = [{ position: next, model: 1, about: about.replaceAll('b', 'forged'), data: Buffer.from('forged') }]
  for (const { bytes } of packMessages(position, forged, 10_000)) {
    await js.publish(subject, sealsOf(Buffer.alloc(32)).seal(bytes))
  }
  await sleep(1_000)
  expect(replica.names()).toEqual(['a', 'b'])
  expect(replica.feed.position).toEqual(position)
  expect(revision).toBe(`${position.number}.${position.tag}`)
  await write(replica.store, 'c')
  await expect.poll(() => replica.names()).toEqual(['a', 'b', 'c'])
})

test('an answer without the seal of the relay proves nothing', async () => {
  await using stack = new AsyncDisposableStack()
  await using installation = await openInstallation()
  const replica = await installation.openReplica()
  await byNats(replica)
  const connection = await openConnection(stack)
  // Faster than the relay, which answers after its next read.
  connection.subscribe(subjectsOf(installation.stream).proof, {
    callback: (_error, message) => void message.respond(Buffer.alloc(66)),
  })
  await expect.poll(() => replica.feed.state()).toContain('read from the database')
  await write(replica.store, 'a')
  await expect.poll(() => replica.names()).toEqual(['a'])
  expect(replica.feed.isCurrent()).toBe(true)
})

test('a change larger than a message is read from the log', async () => {
  await using installation = await openInstallation()
  const [one, other] = [await installation.openReplica(), await installation.openReplica()]
  await byNats(one, other)
  const text = 'x'.repeat(1_500_000)
  await write(one.store, 'a')
  await one.store.write([create({ name: 'large', text })])
  await write(one.store, 'b')
  await expect.poll(() => other.names()).toEqual(['a', 'large', 'b'])
  expect(String(other.got[1]?.object.data)).toBe(text)
})

test('of two relays that both believe to hold the lease only one can append to the stream', async () => {
  await using stack = new AsyncDisposableStack()
  await using installation = await openInstallation()
  const connection = await openConnection(stack)
  const link = { connection: () => connection, [Symbol.asyncDispose]: async () => {} }
  let fenced = 0
  const metrics = { relayed: () => {}, fenced: () => void fenced++ }
  const relays = await Promise.all(
    [1, 2].map(async () => {
      const store = await installation.openStore()
      // Simulates a pause in which another replica acquired the lease.
      store.acquireLease = async (name) => ({ name, token: 1 })
      const { packedLog } = store
      if (!packedLog) throw new Error('there is no log to carry')
      const seals = await loadSeals(store)
      const relay = startRelay({ store, packedLog, link, stream: installation.stream, seals, metrics, log: quiet })
      return stack.use({ store, relay, [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose]() })
    }),
  )
  const [first] = relays
  if (!first) throw new Error('there is no relay')
  await expect.poll(() => relays.every(({ relay }) => relay.atEndAt() !== undefined)).toBe(true)
  for (let at = 0; at < 40; at++) {
    await write(first.store, `w${at}`)
    await sleep(30)
    for (const { relay } of relays) relay.wanted()
  }
  await sleep(1_500)
  const messages = (await messagesIn(connection, installation.stream, first.store)).map(({ message }) => message)
  expect(isContiguous(messages)).toBe(true)
  expect(fenced).toBeGreaterThan(0)
  const stream = streamOf(connection, installation.stream)
  expect(await stream.append(subjectsOf(installation.stream).mixed, Buffer.alloc(1), 1).catch(isFenced)).toBe(true)
})

test('after a database restore all replicas and the stream start over', async () => {
  await using installation = await openInstallation()
  const replica = await installation.openReplica()
  await byNats(replica)
  await write(replica.store, ...numbered('a', 5))
  await expect.poll(() => replica.got.length).toBe(5)
  const text = 'WITH other AS (UPDATE change_order SET tag = tag + 1) UPDATE sequencer SET tag = tag + 1'
  await replica.store[sql](statement(text, []))
  await expect.poll(() => replica.lost).toBe(1)
  await byNats(replica)
  await write(replica.store, 'behind')
  await expect.poll(() => replica.names().at(-1)).toBe('behind')
  expect(replica.lost).toBe(1)
})

test('a stream of another database is emptied', async () => {
  await using stack = new AsyncDisposableStack()
  await using installation = await openInstallation()
  const connection = await openConnection(stack)
  const stream = streamOf(connection, installation.stream)
  const { sequence } = await stream.open()
  await stream.append(subjectsOf(installation.stream).mixed, Buffer.from('of somebody else'), sequence)
  const replica = await installation.openReplica()
  await byNats(replica)
  await write(replica.store, 'a')
  await expect.poll(() => replica.names()).toEqual(['a'])
  const messages = await messagesIn(connection, installation.stream, replica.store)
  expect(messages.every(({ message }) => message !== undefined)).toBe(true)
})
