import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '@pergola/test-servers'
import { Pool } from 'pg'
import { expect, inject, test } from 'vitest'
import { create, people, places } from '../contract/fixture.ts'
import { postgresFixture } from '../contract/postgres-fixture.ts'
import { listContract } from '../contract/list-contract.ts'
import { storeContract } from '../contract/store-contract.ts'
import { migrate, migrations } from './migrate.ts'
import { renewSequencer, truncateDrained } from './changelog/pending-ring.ts'
import { openPostgresStore } from './postgres-store.ts'
import { startSequencer } from './changelog/sequencer.ts'
import { inTransaction } from './write/transaction.ts'
import { countStatements } from './contract/count-statements.ts'

storeContract({
  name: 'PostgreSQL 18',
  shared: true,
  makeFixture: (options) => postgresFixture(inject('postgres')['18'], (url) => ({ url }), options),
})

// The models of the suite are too small for the planner's threshold of a large set.
listContract({
  name: 'PostgreSQL 18 with large sets',
  shared: true,
  makeFixture: (options) => postgresFixture(inject('postgres')['18'], (url) => ({ url, candidateLimit: 4 }), options),
})

test('a lost connection fails only its own transaction', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const pool = new Pool({ connectionString: database.url })
  pool.on('error', () => {})
  const lost = inTransaction(pool, async (client) => {
    await client.query('SELECT pg_terminate_backend(pg_backend_pid())')
  })
  await expect(lost).rejects.toThrow(/terminat/)
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await pool.end()
})

test('an unreachable server is an error that names it, without the password', async () => {
  const url = 'postgres://someone:secret@127.0.0.1:1/nowhere'
  const opened = openPostgresStore({ url, onConnectionLost: () => {} })
  await expect(opened).rejects.toThrow(/PostgreSQL someone@127\.0\.0\.1:1\/nowhere: .*ECONNREFUSED/)
  await expect(opened).rejects.not.toThrow('secret')
})

test('behind a pooler without sessions, notifications come past it', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const { url } = database
  const pool = new Pool({ connectionString: url })
  const listeners = async () => {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_stat_activity WHERE application_name = 'pergola listening' AND datname = current_database()",
    )
    return rowCount
  }
  {
    await using _store = await openPostgresStore({ url, namedStatements: false, onConnectionLost: () => {} })
    expect(await listeners()).toBe(0)
  }
  {
    await using _store = await openPostgresStore({
      url,
      directUrl: url,
      namedStatements: false,
      onConnectionLost: () => {},
    })
    await expect.poll(listeners).toBe(1)
  }
  await pool.end()
})

test('compaction drops old partitions, but waits for transactions that still write there', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }), { smallLog: true })
  const { store, url } = fixture
  await store.openModel(people)
  const pool = new Pool({ connectionString: url })
  const slow = await pool.connect()
  await slow.query('BEGIN')
  await slow.query(`WITH logged AS (
      INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, index_generation, stored_as, labels, sets, keys, data)
      VALUES (nextval('change_id'), 1, 'a', 1, 'slow', gen_random_uuid(), 0, 1, 1, 'v1', '{}', '{}', '{}', '') RETURNING id
    ) INSERT INTO pending_changes (id, model) SELECT id, 1 FROM logged`)
  const fill = async (prefix: string) => {
    for (let at = 0; at < 200; at++) await store.write([create(`${prefix}-${at}`)])
    while ((await pool.query('SELECT FROM pending_changes LIMIT 1')).rowCount !== 0) await sleep(10)
  }
  const oldest = async () =>
    (await pool.query<{ oldest: string }>('SELECT min(id) AS oldest FROM changes')).rows[0]?.oldest
  const all = { keepMs: 0, maxBytes: 2 ** 40 }
  await fill('a')
  const head = await store.head()
  await store.compact(all)
  await slow.query('COMMIT')
  slow.release()
  const { changes } = await store.readChanges(head, { limit: 9, waitMs: 5_000 })
  expect(changes.map(({ object }) => object.name)).toEqual(['slow'])
  await fill('b')
  await store.compact(all)
  expect(Number(await oldest())).toBeGreaterThan(200)
  await pool.end()
})

test('creates in order keep that order when the sequence of ids wraps within a millisecond', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store, url } = fixture
  await store.openModel(people)
  await store.openModel(places)
  const pool = new Pool({ connectionString: url })
  for (const model of [people, places]) {
    for (let round = 0; round < 20; round++) {
      await pool.query(`SELECT setval('object_id', ${2 ** 20 - 3})`)
      const names = Array.from({ length: 5 }, (_, at) => `r${round}-${9 - at}`)
      await store.write(
        names.map((name) => create(name, model)),
        { inOrder: true },
      )
      const { items } = await store.list(model, { limit: 5 })
      expect(items.map(({ name }) => name)).toEqual(names.toReversed())
    }
  }
  await pool.end()
})

test('a change missing from the log is an error for readers, not a silent gap', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store, url } = fixture
  await store.openModel(people)
  const start = await store.head()
  await store.write(['a', 'b', 'c'].map((name) => create(name)))
  const read = () => store.readChanges(start, { limit: 9, waitMs: 5_000 })
  expect((await read()).changes).toHaveLength(3)
  const pool = new Pool({ connectionString: url })
  await pool.query(`DELETE FROM changes WHERE name = 'b'`)
  await pool.end()
  await expect(read()).rejects.toMatchObject({ reason: 'RevisionExpired' })
})

test('servers of this release keep running and can start after a newer release expanded the tables', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store, url } = fixture
  await store.openModel(people)
  const start = await store.head()
  await store.write([create('before')])
  const pool = new Pool({ connectionString: url })
  const sql = `
    ALTER TABLE models ADD COLUMN newer jsonb;
    ALTER TABLE changes ADD COLUMN newer text, ADD COLUMN newer_still int NOT NULL DEFAULT 7;
    ALTER TABLE change_order ADD COLUMN newer text;
    ALTER TABLE sequencer ADD COLUMN newer int NOT NULL DEFAULT 1;
    CREATE TABLE newer (id int PRIMARY KEY);`
  const own = migrations.at(-1)?.number ?? 0
  await migrate(pool, [...migrations, { number: own + 1, lowestReader: own, sql }])
  await using another = await fixture.reopen()
  await another.openModel(people)
  await store.write([create({ name: 'after', city: 'x', tags: ['t'], labels: { k: 'v' } })])
  await another.write([create('beside')])
  await another.openModel({ ...people, edition: 1, indexes: [...people.indexes, { name: 'country' }] })
  await another.buildIndexes(people, {
    evaluate: async (objects) => objects.map(() => ({ labels: {}, single: {}, multi: {} })),
  })
  expect(
    (await another.list(people, { limit: 9, sort: [{ field: 'country', descending: false }] })).items,
  ).toHaveLength(3)
  const names: string[] = []
  for (let place = start; names.length < 3;) {
    const { changes, revision } = await store.readChanges(place, { limit: 9, waitMs: 5_000 })
    names.push(...changes.map(({ object }) => object.name))
    place = revision
  }
  expect(names).toEqual(['before', 'after', 'beside'])
  expect(await store.schemaNumber()).toBe(own + 1)
  // The release after that removes what this one needs.
  const removing = { number: own + 2, lowestReader: own + 1, sql: 'SELECT 1' }
  await migrate(pool, [...migrations, { number: own + 1, lowestReader: own, sql }, removing])
  const words = `the database has schema ${own + 2}, for servers with schema ${own + 1} or later; this server has ${own}.`
  await expect(store.schemaNumber()).rejects.toThrow(words)
  await expect(fixture.reopen()).rejects.toThrow(words)
  await pool.end()
})

test('a database whose migrations name no lowest reader, or that is older than the first release, is refused', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const pool = new Pool({ connectionString: fixture.url })
  await pool.query('INSERT INTO schema_migrations (number) VALUES (99)')
  await expect(fixture.reopen()).rejects.toThrow('the database has schema 99, for servers with schema 99 or later')
  await pool.query('DELETE FROM schema_migrations; INSERT INTO schema_migrations (number) VALUES (7)')
  await expect(fixture.reopen()).rejects.toThrow('the database has schema 7, older than the first release')
  await pool.end()
})

test('continuous commits do not delay the sequencer', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const pool = new Pool({ connectionString: fixture.url })
  const options = { makeRoom: async () => {}, roomEvery: 1_000, passLimit: 1_000, onError: () => {} }
  await using sequencer = startSequencer(pool, options)
  await sequencer.nextPass(5_000)
  const commits = setInterval(() => sequencer.poke(), 1)
  // A delayed pass takes a minute, and twenty of them exceed the test timeout.
  for (let passes = 0; passes < 20; passes++) expect(await sequencer.nextPass(60_000)).toBe(true)
  clearInterval(commits)
  await sequencer[Symbol.asyncDispose]()
  await pool.end()
})

test('a replica reads the log once for a pass of its own', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store } = fixture
  await store.openModel(people)
  await expect.poll(() => store.details()).toContain('changes by notification')
  const writes = 20
  let place = await store.head()
  let seen = 0
  using statements = countStatements()
  const reading = (async () => {
    while (seen < writes) {
      const { changes, revision } = await store.readChanges(place, { limit: 10, waitMs: 10_000 })
      seen += changes.length
      place = revision
    }
  })()
  for (let at = 0; at < writes; at++) {
    await store.write([create(`once-${at}`)])
    await expect.poll(() => seen).toBe(at + 1)
  }
  await reading
  expect(statements.texts.filter((text) => text.includes('FROM change_order o')).length).toBeLessThan(1.5 * writes)
})

test('a rejected write does not close its connection', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store, url } = fixture
  await store.openModel(people)
  await store.write([create('a')])
  const pool = new Pool({ connectionString: url, application_name: 'looking' })
  const newest = async () => {
    const sql = `SELECT max(backend_start) AS newest FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'pergola'`
    return (await pool.query<{ newest: Date }>(sql)).rows[0]?.newest
  }
  const before = await newest()
  for (let times = 0; times < 5; times++) {
    await expect(store.write([create('a')])).rejects.toMatchObject({ kind: 'exists' })
  }
  expect(await newest()).toEqual(before)
  await pool.end()
})

test('a statement can detect that the ring was truncated meanwhile', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store, url } = fixture
  await store.openModel(people)
  const pool = new Pool({ connectionString: url, max: 3 })
  await store.write([create('a')])
  // Like a slow list: it has a snapshot, and reads the pending changes last, once it gets the lock.
  const slow = `SELECT (SELECT count(*) FROM pg_advisory_xact_lock(42)) AS held, (SELECT list_place(1, 9)) AS place`
  const holding = await pool.connect()
  await holding.query('SELECT pg_advisory_lock(42)')
  await holding.query('BEGIN')
  await holding.query(`SELECT pg_advisory_xact_lock(hashtextextended('pergola sequencer', 0))`)
  await store.write([create('b')])
  const list = pool.query<{ place: string }>(slow)
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted`
  await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1)
  await holding.query('SELECT sequence_changes(100, 1)')
  await holding.query('COMMIT')
  await pool.query(`SELECT setval('change_id', 3 * 4096)`)
  await truncateDrained(pool)
  await holding.query('SELECT pg_advisory_unlock(42)')
  holding.release()
  const [seen] = (await list).rows
  const [, , , , before, after, ...pending] = seen?.place.split(' ') ?? []
  expect(pending).toEqual([])
  expect(before).not.toBe(after)
  await pool.end()
})

test('dead rows of the ring are removed soon after the last write, so that lists do not scan them', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store, url } = fixture
  await store.openModel(people)
  const pool = new Pool({ connectionString: url, max: 1 })
  const pages = async () => {
    const sql = `SELECT sum(pg_relation_size('pending_changes_' || slot) / 8192)::int AS pages FROM generate_series(0, 7) slot`
    return (await pool.query<{ pages: number }>(sql)).rows[0]?.pages ?? 0
  }
  let most = 0
  for (let at = 0; at < 20 || most < 4; at++) {
    await store.write(Array.from({ length: 100 }, (_, n) => create(`n-${at}-${n}`)))
    most = Math.max(most, await pages())
  }
  await expect.poll(pages).toBeLessThan(4)
  await pool.end()
})

test('data with a NUL byte is rejected', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  await fixture.store.openModel(people)
  const operation = create('nul')
  const data = Buffer.from([123, 0, 125])
  const written = fixture.store.write([{ ...operation, content: { ...operation.content, data } }])
  await expect(written).rejects.toThrow('NUL')
})

test("the sequencer's row is rewritten when dead versions pile up, and nothing is lost", async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { store, url } = fixture
  await store.openModel(people)
  const start = await store.head()
  const pool = new Pool({ connectionString: url, max: 3 })
  const old = await pool.connect()
  await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await old.query('SELECT 1 FROM models')
  for (let times = 0; times < 8_000; times++) await pool.query('UPDATE sequencer SET tag = tag')
  const pages = async () => {
    const sql = `SELECT (pg_relation_size('sequencer') / 8192)::int AS pages`
    return (await pool.query<{ pages: number }>(sql)).rows[0]?.pages
  }
  expect(await pages()).toBeGreaterThan(32)
  const writers = Array.from({ length: 20 }, async (_, lane) => {
    for (let at = 0; at < 10; at++) await store.write([create(`n-${lane}-${at}`)])
  })
  for (let tries = 0; tries < 50 && ((await pages()) ?? 0) > 1; tries++) await renewSequencer(pool)
  await Promise.all(writers)
  expect(await pages()).toBeLessThan(32)
  const seen = new Set<string>()
  for (let place = start; seen.size < 200;) {
    const { changes, revision } = await store.readChanges(place, { limit: 500, waitMs: 5_000 })
    for (const { object } of changes) seen.add(object.name)
    place = revision
  }
  expect((await store.list(people, { limit: 1 })).total?.count).toBe(200)
  await old.query('ROLLBACK')
  old.release()
  await pool.end()
})
