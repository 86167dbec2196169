import { ApiError } from '@pergola/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCuttingProxy } from '../../../tests/client/cutting-proxy.ts'
import { notesOf, startSqliteServer, type Note, type Notes, type SqliteServer } from '../../../tests/client/server.ts'
import { createCache } from './cache.ts'
import type { CacheChange } from './cached-objects.ts'
import type { Draft } from './object-types.ts'
import type { WatchEvent } from './watch-event.ts'

let server: SqliteServer
beforeAll(async () => {
  server = await startSqliteServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const create = (notes: Notes, name: string, spec: Partial<Note['spec']> = {}) =>
  notes.create({ metadata: { name }, spec: { text: 'a', ...spec } })

function lineOf({ type, object: { metadata } }: CacheChange<Note>): string {
  return `${type} ${metadata.name} ${metadata.version}`
}

test('a cache holds all objects when it is ready and follows changes', async () => {
  const notes = await server.notes()
  const one = await create(notes, 'one')
  using cache = notes.cache()
  expect([cache.size, cache.revision]).toEqual([0, undefined])
  const told: string[] = []
  cache.on((change) => told.push(lineOf(change)))
  await cache.ready
  expect(cache.items()).toEqual([one])
  expect(cache.get('one')).toEqual(one)
  expect(cache.revision).toBeDefined()
  await notes.patch('one', { spec: { text: 'b' } })
  await create(notes, 'two')
  await notes.delete('one')
  await cache.waitFor((all) => all.get('one') === undefined)
  expect(told).toEqual(['added one 0', 'modified one 1', 'added two 0', 'deleted one 2'])
  expect(cache.items().map(({ metadata }) => metadata.name)).toEqual(['two'])
})

test('a cache with a selector holds matching objects and drops objects that stop matching', async () => {
  const notes = await server.notes()
  await create(notes, 'in', { rank: 1 })
  await create(notes, 'out', { rank: 2 })
  using cache = notes.cache({ fieldSelector: 'spec.rank=1' })
  await cache.ready
  expect(cache.items().map(({ metadata }) => metadata.name)).toEqual(['in'])
  await notes.patch('out', { spec: { rank: 1 } })
  await notes.patch('in', { spec: { rank: 3 } })
  expect(await cache.waitFor((all) => all.get('in') === undefined && all.get('out')?.spec.rank)).toBe(1)
})

test('indexes find objects and follow every change', async () => {
  const notes = await server.notes()
  await create(notes, 'one', { tags: ['red', 'blue'] })
  await create(notes, 'two', { tags: ['red'] })
  using cache = notes.cache({
    indexes: {
      tag: ({ spec }) => spec.tags,
      rank: ({ spec }) => (spec.rank === undefined ? undefined : String(spec.rank)),
    },
  })
  await cache.ready
  const names = (index: 'tag' | 'rank', value: string) =>
    cache
      .byIndex(index, value)
      .map(({ metadata }) => metadata.name)
      .toSorted()
  expect([names('tag', 'red'), names('tag', 'blue'), names('rank', '1')]).toEqual([['one', 'two'], ['one'], []])
  await notes.patch('one', { spec: { tags: ['blue', 'green'], rank: 1 } })
  await notes.delete('two')
  await cache.waitFor((all) => all.get('two') === undefined)
  expect([names('tag', 'red'), names('tag', 'blue'), names('tag', 'green')]).toEqual([[], ['one'], ['one']])
  expect(names('rank', '1')).toEqual(['one'])
  expect(() => cache.byIndex('nothing' as 'tag', 'x')).toThrow(/there is no index "nothing"; there are tag, rank/)
})

test('cached objects are frozen', async () => {
  const notes = await server.notes()
  await create(notes, 'one', { tags: ['a'] })
  using cache = notes.cache()
  await cache.ready
  const one = cache.get('one') as Draft<Note>
  expect(() => (one.spec.text = 'changed')).toThrow(TypeError)
  expect(() => one.spec.tags?.push('b')).toThrow(TypeError)
})

test('waitFor sees an own write by its version', async () => {
  const notes = await server.notes()
  await create(notes, 'one')
  using cache = notes.cache()
  const { metadata } = await notes.patch('one', { spec: { text: 'mine' } })
  const seen = await cache.waitFor((all) => {
    const one = all.get('one')
    return one && one.metadata.version >= metadata.version && one.spec.text
  })
  expect(seen).toBe('mine')
})

describe('waitFor', () => {
  test('never sees a partial snapshot', async () => {
    const notes = await server.notes()
    await create(notes, 'one')
    using cache = notes.cache()
    expect(await cache.waitFor(({ size }) => ({ size }))).toEqual({ size: 1 })
  })

  test('rejects on abort, on close, and with an error of the predicate', async () => {
    const notes = await server.notes()
    using cache = notes.cache()
    const reason = new Error('enough')
    const giving = new AbortController()
    const waiting = cache.waitFor(() => false, { signal: giving.signal })
    giving.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(cache.waitFor(() => false, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const failing = cache.waitFor(() => {
      throw reason
    })
    await expect(failing).rejects.toBe(reason)
    const still = cache.waitFor(() => false)
    cache.close()
    await expect(still).rejects.toThrow('the cache was closed')
    await expect(cache.waitFor(() => undefined)).rejects.toThrow('the cache was closed')
    expect(await cache.waitFor(() => 'known')).toBe('known')
  })
})

describe('listeners', () => {
  test('are called once per change until they unsubscribe; one added during a change is called from the next', async () => {
    const notes = await server.notes()
    using cache = notes.cache()
    await cache.ready
    const told: string[] = []
    const listener = (who: string) => (change: CacheChange<Note>) => told.push(`${who} ${lineOf(change)}`)
    const leave = cache.on((change) => {
      listener('first')(change)
      leave()
      cache.on(listener('second'))
    })
    await create(notes, 'one')
    await create(notes, 'two')
    await cache.waitFor((all) => all.get('two') !== undefined)
    expect(told).toEqual(['first added one 0', 'second added two 0'])
  })

  test('that throw raise an uncaught exception, and the cache continues', async () => {
    const notes = await server.notes()
    using cache = notes.cache()
    await cache.ready
    const told: string[] = []
    cache.on(() => {
      throw new Error('a fault of a listener')
    })
    cache.on((change) => told.push(lineOf(change)))
    const seen = new Promise((resolve) => {
      const others = process.listeners('uncaughtException')
      process.removeAllListeners('uncaughtException')
      process.once('uncaughtException', (error) => {
        for (const other of others) process.on('uncaughtException', other)
        resolve(error)
      })
    })
    await create(notes, 'one')
    expect(await seen).toMatchObject({ message: 'a fault of a listener' })
    await cache.waitFor((all) => all.get('one') !== undefined)
    expect(told).toEqual(['added one 0'])
  })
})

describe('a cache ends', () => {
  test('by close, by its signal, or by disposal', async () => {
    const notes = await server.notes()
    const giving = new AbortController()
    const caches = [notes.cache(), notes.cache({ signal: giving.signal }), notes.cache()]
    await Promise.all(caches.map(({ ready }) => ready))
    caches[0]?.close()
    giving.abort()
    caches[2]?.[Symbol.dispose]()
    expect(await Promise.all(caches.map(({ ended }) => ended))).toEqual([undefined, undefined, undefined])
    const before = notes.cache({ signal: AbortSignal.abort() })
    await expect(before.ready).rejects.toThrow('the cache was closed')
  })

  test('with the error when the server rejects it; its objects stay readable', async () => {
    const notes = await server.notes()
    const nobody = notesOf(server.client({ token: 'pgl_wrong' }), notes.plural).cache()
    await expect(nobody.ready).rejects.toMatchObject({ reason: 'Unauthenticated' })
    expect(await nobody.ended).toMatchObject({ status: 401 })
    expect(nobody.items()).toEqual([])
  })
})

test('after RevisionExpired a cache relists and reports exactly the difference', async () => {
  const notes = await server.notes()
  for (const name of ['kept', 'changed', 'gone', 'replaced']) await create(notes, name)
  const written = Promise.withResolvers<void>()
  let rounds = 0
  /** Yields real events, and fails with RevisionExpired after the first bookmark. */
  async function* expiring(signal: AbortSignal): AsyncGenerator<WatchEvent<Note>> {
    if (rounds++ > 0) await written.promise
    for await (const event of notes.watch({ initial: true, signal })) {
      yield event
      if (event.type === 'BOOKMARK' && rounds === 1) throw new ApiError('RevisionExpired', 'no longer kept')
    }
  }
  using cache = createCache<Note, never>(({ signal }) => expiring(signal))
  const told: string[] = []
  await cache.ready
  cache.on((change) => told.push(lineOf(change)))
  await notes.patch('changed', { spec: { text: 'b' } })
  await notes.delete('gone')
  await notes.delete('replaced')
  await create(notes, 'replaced')
  await create(notes, 'new')
  written.resolve()
  await cache.waitFor((all) => all.get('gone') === undefined && all.get('new') !== undefined)
  expect(rounds).toBe(2)
  expect(told.toSorted()).toEqual(
    ['added new 0', 'added replaced 0', 'deleted gone 0', 'deleted replaced 0', 'modified changed 1'].toSorted(),
  )
  expect(told.indexOf('deleted replaced 0')).toBe(told.indexOf('added replaced 0') - 1)
  expect(new Set(cache.items())).toEqual(new Set((await notes.list()).items))
})

test('a cache follows a database that was restored from a backup', async () => {
  await using own = await startSqliteServer()
  const notes = await own.notes()
  for (const name of ['kept', 'a', 'b']) await create(notes, name)
  await own.stop()
  own.backUp()
  await own.start()
  await using proxy = await startCuttingProxy([own.url])
  using cache = notesOf(own.client({ url: proxy.url }), notes.plural).cache()
  await notes.patch('a', { spec: { text: 'first past' } })
  await create(notes, 'c')
  await notes.delete('b')
  await cache.waitFor((all) => all.get('c') && all.get('b') === undefined)
  const told: string[] = []
  cache.on((change) => told.push(lineOf(change)))
  proxy.refuse()
  await own.stop()
  own.restore()
  await own.start()
  await notes.patch('a', { spec: { text: 'second past' } })
  await create(notes, 'd')
  proxy.refuse(false)
  await cache.waitFor((all) => all.get('d') && all.get('a')?.spec.text === 'second past' && all.get('c') === undefined)
  expect(told.toSorted()).toEqual(['added a 1', 'added b 0', 'added d 0', 'deleted a 1', 'deleted c 0'])
  expect(new Set(cache.items())).toEqual(new Set((await notes.list()).items))
})
