import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, test } from 'vitest'
import { create, mustGet, people, update, type StoreFixture } from '../contract/fixture.ts'
import { listContract } from '../contract/list-contract.ts'
import { storeContract } from '../contract/store-contract.ts'
import { encodeCursor } from '../cursor.ts'
import type { Cursor } from '../store.ts'
import { migrate, migrations } from './migrate.ts'
import { openSqliteStore } from './sqlite-store.ts'

type OpenStore = typeof openSqliteStore

async function makeFixture(open: OpenStore = openSqliteStore): Promise<StoreFixture & { readonly file: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-sqlite-'))
  const file = join(directory, 'test.db')
  const store = open(file)
  return {
    file,
    store,
    reopen: async () => open(file),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true })
    },
  }
}

storeContract({ name: 'SQLite', shared: false, makeFixture: () => makeFixture() })

// The models of the suite are too small for SQLite to choose the sort order by itself.
listContract({
  name: 'SQLite along the order',
  shared: false,
  makeFixture: () => makeFixture((file) => openSqliteStore(file, { candidateLimit: 0 })),
})

test('a second store on the same file is rejected with the next step', async () => {
  await using fixture = await makeFixture()
  expect(() => openSqliteStore(fixture.file)).toThrow(/in use by another process; stop it, or use PostgreSQL/)
})

test('a file that a newer release has expanded opens; one that it has upgraded beyond this server is refused', async () => {
  await using fixture = await makeFixture()
  await fixture.store[Symbol.asyncDispose]()
  const own = migrations.at(-1)?.number ?? 0
  const expanding = { number: own + 1, lowestReader: own, sql: 'CREATE TABLE newer (id INTEGER PRIMARY KEY) STRICT' }
  const upgrade = (known: typeof migrations) => {
    const database = new SqliteDatabase(fixture.file)
    migrate(database, known)
    database.close()
  }
  upgrade([...migrations, expanding])
  await using opened = await fixture.reopen()
  expect(await opened.schemaNumber()).toBe(own + 1)
  await opened[Symbol.asyncDispose]()
  upgrade([...migrations, expanding, { number: own + 2, lowestReader: own + 1, sql: 'DROP TABLE newer' }])
  await expect(fixture.reopen()).rejects.toThrow(`schema ${own + 2}, for servers with schema ${own + 1} or later`)
  const unrecorded = new SqliteDatabase(fixture.file)
  unrecorded.pragma('user_version = 99')
  unrecorded.close()
  await expect(fixture.reopen()).rejects.toThrow('schema 99, for servers with schema 99 or later')
})

const unusable: readonly [what: string, spoil: (file: string) => void, words: RegExp][] = [
  [
    'in a folder that does not exist',
    (file) => rmSync(join(file, '..'), { recursive: true }),
    /the folder .* does not exist; create it/,
  ],
  ['that is a folder', (file) => mkdirSync(file), /check the path/],
  ['that is no database', (file) => writeFileSync(file, 'no database'.repeat(1_000)), /is not a SQLite database/],
  ['that is damaged', damage, /is damaged; restore a backup with pergola restore/],
]
test.for(unusable)('a file %s is rejected with its name, the setting and the next step', ([, spoil, words]) => {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-sqlite-'))
  const file = join(directory, 'test.db')
  spoil(file)
  const open = () => openSqliteStore(file)
  expect(open).toThrow(`database.url: ${file} cannot be opened: `)
  expect(open).toThrow(words)
  rmSync(directory, { recursive: true, force: true })
})

function damage(file: string): void {
  void openSqliteStore(file)[Symbol.asyncDispose]()
  truncateSync(file, statSync(file).size / 2)
}

test('after a file is restored from a copy, revisions of the lost history are rejected', async () => {
  await using fixture = await makeFixture()
  const copy = `${fixture.file}.copy`
  const open = async (file: string, name: string) => {
    const store = openSqliteStore(file)
    await store.openModel(people)
    await store.write([create(name)])
    return store
  }
  await fixture.store[Symbol.asyncDispose]()
  await using first = await open(fixture.file, 'kept')
  const kept = await first.head()
  await first[Symbol.asyncDispose]()
  copyFileSync(fixture.file, copy)
  await using original = await open(fixture.file, 'lost')
  const lost = await original.head()
  await using restored = await open(copy, 'other')
  const read = (after: typeof kept) => restored.readChanges(after, { limit: 9, waitMs: 0 })
  expect((await read(kept)).changes.map(({ object }) => object.name)).toEqual(['other'])
  await expect(read(lost)).rejects.toMatchObject({ reason: 'RevisionExpired' })
})

test('closing ends readers that wait for changes', async () => {
  await using fixture = await makeFixture()
  const waiting = fixture.store.readChanges(await fixture.store.head(), { limit: 1, waitMs: 60_000 })
  await fixture.store[Symbol.asyncDispose]()
  expect((await waiting).changes).toEqual([])
})

test('an offset counts deleted and live objects', async () => {
  await using fixture = await makeFixture()
  const { store } = fixture
  await store.openModel(people)
  for (const name of ['a', 'b', 'c', 'd']) await store.write([create({ name, held: true })])
  await store.write(['b', 'c'].map((name) => ({ type: 'delete', model: people, name }) as const))
  const sort = [{ field: 'metadata.deletionTimestamp', descending: false }]
  const { items } = await store.list(people, { sort, offset: 1, limit: 2 })
  expect(items.map(({ name }) => name)).toEqual(['d', 'b'])
})

const strayCursors: readonly [string, Cursor][] = [
  ['a string instead of the id', encodeCursor(['x'])],
  ['no id', encodeCursor([null])],
]
test.for(strayCursors)('a cursor with %s is rejected', async ([, after]) => {
  await using fixture = await makeFixture()
  await fixture.store.openModel(people)
  await expect(fixture.store.list(people, { limit: 1, after })).rejects.toMatchObject({ reason: 'BadRequest' })
})

test('labels in another order are no change', async () => {
  await using fixture = await makeFixture()
  const { store } = fixture
  await store.openModel(people)
  await store.write([create({ name: 'a', labels: { x: '1', y: '2' } })])
  const before = await store.head()
  await store.write([update(await mustGet(store, 'a'), { text: 'new', labels: { y: '2', x: '1' } })])
  const { changes } = await store.readChanges(before, { limit: 9, waitMs: 0 })
  expect(changes).toHaveLength(1)
  expect(changes[0]).not.toHaveProperty('previous')
})

test('a write fenced by a released lease is rejected', async () => {
  await using fixture = await makeFixture()
  const { store } = fixture
  await store.openModel(people)
  const fence = await store.acquireLease('work', { holder: 'ann', ttlMs: 60_000 })
  if (!fence) throw new Error('the lease was free')
  await store.releaseLease(fence)
  await expect(store.write([create('a')], { fence })).rejects.toMatchObject({ reason: 'FenceLost' })
})
