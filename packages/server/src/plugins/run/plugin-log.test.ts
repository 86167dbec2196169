import { describe, expect, inject, test } from 'vitest'
import { createLog } from '../../base/log.ts'
import { postgresFixture } from '../../store/contract/postgres-fixture.ts'
import { appendPluginLines, deleteOldPluginLines, readPluginLines } from '../../store/records/plugin-lines.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import type { Store } from '../../store/store.ts'
import { createPluginLog } from './plugin-log.ts'

const log = createLog({ level: 'error', pretty: false, write: () => {} })
const all = { after: 0, replica: undefined }

const engines: readonly {
  readonly engine: string
  readonly open: () => Promise<AsyncDisposable & { readonly store: Store }>
}[] = [
  {
    engine: 'SQLite',
    open: async () => {
      const store = openSqliteStore(':memory:')
      return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
    },
  },
  { engine: 'PostgreSQL', open: () => postgresFixture(inject('postgres')['18'], (url) => ({ url })) },
]

describe.each(engines)('on $engine', ({ open }) => {
  const openLog = (store: Store, name: string, clock = { now: () => 0 }) =>
    createPluginLog({ store, log, clock, replicas: { own: `id-of-${name}`, ownName: name } })

  test('each replica reads the lines of all by time, from a number on, or of one replica', async () => {
    await using opened = await open()
    let now = 0
    const clock = { now: () => now }
    await using east = openLog(opened.store, 'east', clock)
    await using west = openLog(opened.store, 'west', clock)
    for (const [at, replica] of [east, west, east].entries()) {
      now = at
      replica.add('todo', `line ${at}`)
    }
    await east.read('todo', all)
    await west.read('todo', all)
    const { items, times, replicas, last } = await east.read('todo', all)
    expect([items, replicas, last]).toEqual([['line 0', 'line 1', 'line 2'], ['east', 'west', 'east'], 3])
    expect(times[2]).toBe('1970-01-01T00:00:00.002Z')
    west.add('todo', 'more')
    expect(await west.read('todo', { ...all, after: 3 })).toMatchObject({
      items: ['more'],
      replicas: ['west'],
      last: 4,
    })
    expect((await east.read('todo', { ...all, after: 900 })).items).toHaveLength(4)
    expect((await east.read('todo', { ...all, replica: 'west' })).items).toEqual(['line 1', 'more'])
    expect((await east.read('todo', { ...all, replica: 'id-of-e' })).items).toEqual(['line 0', 'line 2'])
  })

  test('keeps the newest 500 lines of a replica, and forgets a plugin', async () => {
    await using opened = await open()
    await using east = openLog(opened.store, 'east')
    await using west = openLog(opened.store, 'west')
    west.add('todo', 'of another replica')
    await west.read('todo', all)
    for (let at = 1; at <= 1_200; at++) {
      east.add('todo', `line ${at}`)
      if (at % 300 === 0) await east.read('todo', all)
    }
    const { items, last } = await east.read('todo', { ...all, replica: 'east' })
    expect([items.length, items[0], items.at(-1), last]).toEqual([500, 'line 701', 'line 1200', 1_201])
    expect((await east.read('todo', { ...all, replica: 'west' })).items).toEqual(['of another replica'])
    east.forget('todo')
    expect(await east.read('todo', all)).toMatchObject({ items: [], last: 0 })
  })

  test('lines of other replicas are deleted when they are old', async () => {
    await using opened = await open()
    const { store } = opened
    for (const replica of ['east', 'west']) {
      await appendPluginLines(store, { plugin: 'todo', replica, replicaName: replica }, [{ at: 10, text: replica }])
    }
    await deleteOldPluginLines(store, 'east', 10)
    expect((await readPluginLines(store, 'todo', all)).lines).toHaveLength(2)
    await deleteOldPluginLines(store, 'east', 11)
    expect((await readPluginLines(store, 'todo', all)).lines.map(({ text }) => text)).toEqual(['east'])
  })
})

test('a reader that follows misses no line of replicas that write at once', async () => {
  await using opened = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store } = opened
  const rounds = 40
  const write = async (replica: string) => {
    for (let at = 0; at < rounds; at++) {
      const lines = [1, 2, 3].map((part) => ({ at, text: `${replica} ${at}.${part}` }))
      await appendPluginLines(store, { plugin: 'todo', replica, replicaName: replica }, lines)
    }
  }
  const seen: string[] = []
  let after = 0
  const follow = async () => {
    const { lines, last } = await readPluginLines(store, 'todo', { after, replica: undefined })
    seen.push(...lines.map(({ text }) => text))
    after = last
  }
  let isDone = false
  const writing = Promise.all(['a', 'b', 'c', 'd'].map(write)).finally(() => (isDone = true))
  while (!isDone) await follow()
  await writing
  await follow()
  expect(seen).toHaveLength(4 * rounds * 3)
  expect(new Set(seen).size).toBe(seen.length)
})
