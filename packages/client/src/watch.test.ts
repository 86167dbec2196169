import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCuttingProxy } from '../../../tests/client/cutting-proxy.ts'
import { notesOf, startSqliteServer, type Note, type SqliteServer } from '../../../tests/client/server.ts'
import type { ClientOptions } from './client.ts'
import type { WatchEvent } from './watch-event.ts'

const transports = ['WebSocket', 'event stream'] as const

let server: SqliteServer
beforeAll(async () => {
  server = await startSqliteServer({ PERGOLA_WATCH_MAX_PER_USER: '20' })
})
afterAll(() => server[Symbol.asyncDispose]())

type Events = AsyncGenerator<WatchEvent<Note>, void, undefined>

function lineOf(event: WatchEvent<Note>): string {
  return 'object' in event ? `${event.type} ${event.object.metadata.name}` : event.type
}

/** Reads `count` events, without bookmarks. */
async function take(events: Events, count: number): Promise<readonly WatchEvent<Note>[]> {
  const taken: WatchEvent<Note>[] = []
  while (taken.length < count) {
    const { value, done } = await events.next()
    if (done) break
    if (value.type !== 'BOOKMARK') taken.push(value)
  }
  return taken
}

async function lines(events: Events, count: number): Promise<readonly string[]> {
  return (await take(events, count)).map(lineOf)
}

/** A new model, written to directly and watched through a proxy that can cut connections. */
async function through(options: Partial<ClientOptions>, at = server) {
  const proxy = await startCuttingProxy([at.url])
  const direct = await at.notes()
  const watched = notesOf(at.client({ ...options, url: proxy.url }), direct.plural)
  const create = (name: string, body = '') => direct.create({ metadata: { name }, spec: { text: 'a', body } })
  return { proxy, direct, watched, create, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
}

describe.each(transports)('%s', (transport) => {
  test('a watch from a revision delivers all later changes as stored', async () => {
    const notes = await server.notes(server.client({ transport }))
    const { revision } = await notes.list()
    const one = await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
    const two = await notes.patch('one', { spec: { text: 'b' } })
    await notes.delete('one')
    const events = notes.watch({ revision })
    const [added, modified, deleted] = await take(events, 3)
    await events.return()
    expect(added).toEqual({ type: 'ADDED', revision: expect.any(String), object: one })
    expect(modified).toEqual({ type: 'MODIFIED', revision: expect.any(String), object: two })
    expect(deleted).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'one', version: 2 } } })
  })

  test('a watch without a revision delivers new changes; with `initial`, the present objects first', async () => {
    const notes = await server.notes(server.client({ transport }))
    await notes.create({ metadata: { name: 'before' }, spec: { text: 'a' } })
    const present = notes.watch({ initial: true })
    expect((await present.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'before' } } })
    expect((await present.next()).value).toMatchObject({ type: 'BOOKMARK' })
    const events = notes.watch()
    const next = events.next()
    await sleep(300)
    await notes.create({ metadata: { name: 'after' }, spec: { text: 'a' } })
    expect(lineOf((await next).value as WatchEvent<Note>)).toBe('ADDED after')
    expect(await lines(present, 1)).toEqual(['ADDED after'])
    await Promise.all([events.return(), present.return()])
  })

  test('a watch delivers only selected objects, or a single object', async () => {
    const notes = await server.notes(server.client({ transport }))
    const { revision } = await notes.list()
    for (const name of ['a', 'b', 'c']) {
      await notes.create({ metadata: { name, labels: { 'example.com/l': name } }, spec: { text: name } })
    }
    const byField = notes.watch({ revision, fieldSelector: 'spec.text=b' })
    const byLabel = notes.watch({ revision, labelSelector: [{ key: 'example.com/l', op: '=', value: 'c' }] })
    const byName = notes.watch({ revision, name: 'a' })
    const all = [byField, byLabel, byName]
    expect(await Promise.all(all.map((events) => lines(events, 1)))).toEqual([['ADDED b'], ['ADDED c'], ['ADDED a']])
    await Promise.all(all.map((events) => events.return()))
  })

  test('after a cut link the watch reconnects and misses or repeats nothing', async () => {
    await using link = await through({ transport })
    const { direct, watched, create, proxy } = link
    const events = watched.watch({ revision: (await direct.list()).revision })
    await create('n-0')
    expect(await lines(events, 1)).toEqual(['ADDED n-0'])
    for (let round = 1; round <= 3; round++) {
      const next = lines(events, 2)
      expect(proxy.cut()).toBeGreaterThan(0)
      await create(`n-${round}`)
      await direct.delete(`n-${round - 1}`)
      expect(await next).toEqual([`ADDED n-${round}`, `DELETED n-${round - 1}`])
    }
    await events.return()
    await expect.poll(() => proxy.count).toBeLessThanOrEqual(1)
  })

  test('a silent connection is replaced after silenceMs', async () => {
    const retries: unknown[] = []
    let connects = 0
    await using link = await through({
      transport,
      silenceMs: 400,
      onRetry: (error) => retries.push(error),
      onConnect: () => (connects += 1),
    })
    const { direct, watched, create, proxy } = link
    const events = watched.watch({ revision: (await direct.list()).revision })
    await create('one')
    expect(await lines(events, 1)).toEqual(['ADDED one'])
    const next = lines(events, 1)
    proxy.stall()
    await create('two')
    await sleep(100)
    proxy.stall(false)
    expect(await next).toEqual(['ADDED two'])
    expect(retries[0]).toMatchObject({ name: 'ConnectionError', timedOut: true })
    expect(connects).toBeGreaterThan(1)
    await events.return()
  })

  test('a watch reconnects after a restart of the server', async () => {
    await using own = await startSqliteServer()
    const retries: unknown[] = []
    const notes = await own.notes(own.client({ transport, onRetry: (error) => retries.push(error) }))
    const events = notes.watch({ initial: true })
    await notes.create({ metadata: { name: 'one' }, spec: { text: 'a' } })
    expect(await lines(events, 1)).toEqual(['ADDED one'])
    const next = lines(events, 1)
    await sleep(200)
    await own.stop()
    await own.start()
    await notes.create({ metadata: { name: 'two' }, spec: { text: 'a' } })
    expect(await next).toEqual(['ADDED two'])
    expect(retries[0]).toMatchObject({ reason: 'Draining', status: 503 })
    await events.return()
  })

  test('a watch from an unknown revision ends with RevisionExpired', async () => {
    const notes = await server.notes(server.client({ transport }))
    const [number = '', tag = ''] = (await notes.list()).revision.split('.')
    const events = notes.watch({ revision: `${Number(number) + 1_000}.${tag}` })
    await expect(events.next()).rejects.toMatchObject({ reason: 'RevisionExpired', status: 410 })
    expect(await events.next()).toMatchObject({ done: true })
  })

  test('a watch that the server rejects ends with the reason', async () => {
    const notes = await server.notes()
    const refused = async (options: Partial<ClientOptions>, selection: object = {}) => {
      const events = notesOf(server.client({ transport, ...options }), notes.plural).watch({
        initial: true,
        ...selection,
      })
      return events.next().catch((error: unknown) => error)
    }
    expect(await refused({ token: 'pgl_wrong' })).toMatchObject({ reason: 'Unauthenticated', status: 401 })
    expect(await refused({ token: undefined })).toMatchObject({ status: 401 })
    expect(await refused({}, { fieldSelector: 'spec.tags=x' })).toMatchObject({ reason: 'FieldNotIndexed' })
    const nowhere = notesOf(server.client({ transport }), 'nothing').watch({ initial: true })
    await expect(nowhere.next()).rejects.toMatchObject({ reason: 'ModelNotFound' })
  })

  test('a watch ends with 403 when the right to watch is revoked', async () => {
    const notes = await server.notes()
    const admin = server.client()
    const core = (plural: string) => admin.resource({ group: '', version: 'v1alpha1', plural })
    const name = `watcher-${transport === 'WebSocket' ? 1 : 2}`
    const rules = [{ apiGroups: ['client.example.com'], resources: [notes.plural], verbs: ['watch'] }]
    await core('roles').create({ metadata: { name }, rules } as never)
    await core('users').create({ metadata: { name } })
    const binding = { metadata: { name }, roleRef: { name }, subjects: [{ name }] }
    await core('rolebindings').create(binding)
    const password = 'correct horse battery'
    await admin.call({ method: 'PUT', path: `/api/v1alpha1/users/${name}/password`, body: { password } })
    const session = (await server.client({ token: undefined }).call({
      method: 'POST',
      path: '/auth/sessions',
      body: { username: name, password, transport: 'token' },
      headers: { origin: server.url },
    })) as { token: string }
    const events = notesOf(server.client({ transport, token: session.token }), notes.plural).watch({ initial: true })
    expect((await events.next()).value).toMatchObject({ type: 'BOOKMARK' })
    const next = events.next()
    await core('rolebindings').delete(name)
    await expect(next).rejects.toMatchObject({ reason: 'Forbidden', status: 403 })
  })

  test('a watch over the limit is retried until there is room', async () => {
    await using own = await startSqliteServer({ PERGOLA_WATCH_MAX_PER_USER: '1' })
    const notes = await own.notes(own.client({ transport }))
    const first = notes.watch({ initial: true })
    await first.next()
    const retries: unknown[] = []
    const others = notesOf(own.client({ transport, onRetry: (error) => retries.push(error) }), notes.plural)
    const second = others.watch({ initial: true })
    const next = second.next()
    await expect.poll(() => retries.length).toBe(1)
    expect(retries[0]).toMatchObject({ reason: 'TooManyRequests', headers: { 'retry-after': '1' } })
    await first.return()
    expect((await next).value).toMatchObject({ type: 'BOOKMARK' })
    await second.return()
  })

  test('a watch can be aborted at any time and throws the abort reason', async () => {
    await using link = await through({ transport })
    const reason = new Error('enough')
    const already = link.watched.watch({ initial: true, signal: AbortSignal.abort(reason) })
    await expect(already.next()).rejects.toBe(reason)
    const giving = new AbortController()
    const events = link.watched.watch({ initial: true, signal: giving.signal })
    await events.next()
    const next = events.next()
    giving.abort(reason)
    await expect(next).rejects.toBe(reason)
    link.proxy.refuse()
    const between = new AbortController()
    const waiting = link.watched.watch({ initial: true, signal: between.signal }).next()
    await Promise.all([expect(waiting).rejects.toBe(reason), sleep(300).then(() => between.abort(reason))])
    await expect.poll(() => link.proxy.count).toBeLessThanOrEqual(1)
  })

  test('an initial list that is cut off restarts, and RESTARTED is delivered', async () => {
    await using link = await through({ transport })
    const names = await createLarge(link, 40, 300_000)
    const events = link.watched.watch({ initial: true })
    await take(events, 3)
    link.proxy.cut()
    const seen: string[] = []
    for await (const event of events) {
      if (event.type === 'BOOKMARK') break
      seen.push(lineOf(event))
    }
    expect(seen).toContain('RESTARTED')
    expect(seen.slice(seen.lastIndexOf('RESTARTED') + 1)).toEqual(names.map((name) => `ADDED ${name}`))
  })

  test('a slow reader loses nothing, and the buffered bytes stay bounded', async () => {
    await using link = await through({ transport })
    const events = link.watched.watch({ revision: (await link.direct.list()).revision })
    const first = lines(events, 1)
    await link.create('first')
    expect(await first).toEqual(['ADDED first'])
    const names = await createLarge(link, 25, 800_000)
    await sleep(500)
    // Of the 20 MB written, only the queue bound and the socket buffers of both sides have been read.
    expect(link.proxy.bytes).toBeLessThan(12_000_000)
    expect(await lines(events, names.length)).toEqual(names.map((name) => `ADDED ${name}`))
    await events.return()
  })

  test('a slow reader gets all present objects', async () => {
    await using link = await through({ transport })
    const names = await createLarge(link, 25, 800_000)
    const seen = new Set<string>()
    let restarts = 0
    for await (const event of link.watched.watch({ initial: true })) {
      if (event.type === 'BOOKMARK') break
      if (event.type === 'RESTARTED') restarts++
      else if (seen.add(event.object.metadata.name).size === 2) await sleep(2_000)
    }
    expect([...seen]).toEqual(names)
    // A WebSocket has no backpressure: the client reads the objects again over an event stream.
    expect(restarts).toBe(transport === 'WebSocket' ? 1 : 0)
  })
})

/** Creates objects one after the other and returns their names in order. */
async function createLarge(
  link: { create: (name: string, body: string) => Promise<Note> },
  count: number,
  size: number,
) {
  const names = Array.from({ length: count }, (_, at) => `n-${String(at).padStart(3, '0')}`)
  for (const name of names) await link.create(name, 'x'.repeat(size))
  return names
}

test('an event stream is used when WebSocket upgrades are refused', async () => {
  await using link = await through({ transport: 'WebSocket' })
  link.proxy.refuseUpgrades()
  const events = link.watched.watch({ initial: true })
  expect((await events.next()).value).toMatchObject({ type: 'BOOKMARK' })
  const next = lines(events, 1)
  link.proxy.cut()
  await link.create('one')
  expect(await next).toEqual(['ADDED one'])
  await events.return()
})

test('the reconnect backoff to an unreachable server stays between 0.75 and 1.5 s', async () => {
  const stop = new AbortController()
  const waits: number[] = []
  const onRetry = (_: unknown, { waitMs }: { readonly waitMs: number }) => {
    waits.push(waitMs)
    if (waits.length === 6) stop.abort()
  }
  const away = server.client({ url: 'http://127.0.0.1:9', transport: 'event stream', onRetry })
  const events = notesOf(away, 'notes').watch({ initial: true, signal: stop.signal })
  await expect(events.next()).rejects.toThrow(/abort/i)
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_500)
  // The lower bound keeps the client from reconnecting in a busy loop.
  expect(waits.at(-1)).toBeGreaterThanOrEqual(750)
})
