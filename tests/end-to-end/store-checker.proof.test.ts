import { randomUUID } from 'node:crypto'
import { createDatabase, postgresVersions, type PostgresVersion, type TestDatabase } from '@pergola/test-servers'
import { Client } from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { create, people, places, update } from '../../packages/server/src/store/contract/fixture.ts'
import { openPostgresStore } from '../../packages/server/src/store/postgres/postgres-store.ts'
import type { StoredObject } from '../../packages/server/src/store/store.ts'
import { checkStore } from '../faults/store/checker.ts'

/** A row written while the index was marked as not ready, so that its index entry is missing. */
const unindexed = `
  UPDATE pg_index SET indisready = false WHERE indexrelid = 'm_1_1'::regclass;
  UPDATE m_1 SET ix_1 = 'Oslo' WHERE name = 'bob';
  UPDATE changes SET keys[1] = 'Oslo' WHERE id = 3;
  UPDATE pg_index SET indisready = true WHERE indexrelid = 'm_1_1'::regclass`

/** An index built on one column, with a catalog entry that names another. */
const mistaken = `
  UPDATE pg_index SET indkey = (SELECT attnum || ' 1' FROM pg_attribute
    WHERE attrelid = 'm_1'::regclass AND attname = 'stored_as')::int2vector
  WHERE indexrelid = 'm_1_1'::regclass`

/**
 * The fault suites trust this checker, so each kind of fault is planted once. `people` is model 1: columns 1 to 3 with
 * the third unique, sets 4 and 5. Its changes: ann is 1 and 2, bob 3, cid 4 and his deletion 5, held dan 6 and his
 * declared deletion 7; `places` has change 8.
 */
const faults: readonly (readonly [what: string, plant: string, says: RegExp])[] = [
  ['a label entry is lost', `DELETE FROM m_1_l WHERE value = 'x'`, /a row has what m_1_l has not: 1, .*"x"/],
  ['a label entry is left over', `INSERT INTO m_1_l VALUES ('team', 'y', 1)`, /m_1_l has what no row has: 1, .*"y"/],
  ['a set entry is lost', `DELETE FROM m_1_s4 WHERE value = 'blue'`, /a row has what m_1_s4 has not: 1, .*"blue"/],
  ['a set entry is left over', `INSERT INTO m_1_s5 VALUES ('b9', 1)`, /m_1_s5 has what no row has: 1, .*"b9"/],
  [
    'an index lacks an entry',
    unindexed,
    /example.com\/people: the index m_1_1 has 2 entries, its table 3 rows for them/,
  ],
  [
    'an index lacks an entry, as the database says',
    unindexed,
    /the index m_1_1 is broken: heap tuple .* lacks matching/,
  ],
  ['an index has different values', mistaken, /the index m_1_1 has other values than its table/],
  [
    'a change is lost',
    'DELETE FROM changes WHERE id = 1',
    /the versions of an object have a gap or a double in the log: 1/,
  ],
  [
    'a change is lost that the order refers to',
    'DELETE FROM changes WHERE id = 2',
    /the order has a change that is not in the log: 1/,
  ],
  [
    'a change is there twice',
    `INSERT INTO changes ${copyOf('changes', 'id = 1', { id: 99 })}`,
    /the versions of an object have a gap or a double in the log: 1, .*"changes":3/,
  ],
  [
    'a creation has the wrong operation',
    `UPDATE changes SET op = 'm' WHERE id = 3`,
    /says "added" of another version than 0/,
  ],
  [
    'an object has changes after its deletion',
    `UPDATE changes SET op = 'd' WHERE id = 6`,
    /the log goes on behind a deletion: 1/,
  ],
  ['a row was never logged', 'DELETE FROM changes WHERE id = 8', /example.com\/places: a row is not in the log: 1/],
  [
    'two rows share a uid',
    `INSERT INTO m_1 ${copyOf('m_1', `name = 'bob'`, { id: 9, name: 'twin' })}`,
    /two rows have one uid: 1/,
  ],
  ['a row is gone', `DELETE FROM m_1 WHERE name = 'bob'`, /a row is gone and the log has no deletion: 1/],
  [
    'a row has come back',
    `UPDATE m_1 SET uid = (SELECT uid FROM changes WHERE id = 5) WHERE name = 'bob'`,
    /a row is there after its deletion: 1/,
  ],
  ['a row has a different version', `UPDATE m_1 SET version = 9 WHERE name = 'bob'`, differing('version')],
  ['a row has different data', `UPDATE m_1 SET data = 'x' WHERE name = 'bob'`, differing('data')],
  ['a row has different labels', `UPDATE m_1 SET labels = '{}' WHERE name = 'bob'`, differing('labels')],
  ['a row has different sets', `UPDATE m_1 SET sets = '{}' WHERE name = 'bob'`, differing('sets')],
  ['a row has a different key', `UPDATE m_1 SET ix_2 = 'old' WHERE name = 'bob'`, differing('keys')],
  ['a row has lost its declared deletion', 'UPDATE m_1 SET deleted_at = NULL', differing('deleted_at')],
  [
    'a change has wrong previous labels',
    `UPDATE changes SET old_labels = '{}' WHERE id = 2`,
    /tells other values before it/,
  ],
  ['a change has no previous keys', 'UPDATE changes SET old_keys = NULL WHERE id = 2', /tells other values before it/],
  ['a revision is missing', 'DELETE FROM change_order WHERE revision = 4', /the revisions have a gap: 1/],
  ['the sequencer is behind', 'UPDATE sequencer SET revision = 7', /the sequencer is not at the newest revision: 1/],
  [
    'the sequencer has a wrong tag',
    'UPDATE sequencer SET tag = tag + 1',
    /the sequencer is not at the newest revision: 1/,
  ],
  [
    'a change has two revisions',
    'UPDATE change_order SET id = 3 WHERE revision = 4',
    /a change has two places in the order: 1, .*\[3,4\]/,
  ],
  [
    'a change has no revision',
    'UPDATE change_order SET id = 3 WHERE revision = 4',
    /has no place in the order and does not wait for one: 1/,
  ],
  [
    'a change with a revision is still pending',
    'INSERT INTO pending_changes VALUES (3, 1)',
    /has a place in the order and still waits for one: 1/,
  ],
  [
    'a pending change is not in the log',
    'INSERT INTO pending_changes VALUES (99, 1)',
    /a change is waiting that is not in the log/,
  ],
  [
    'changes of an object are in the wrong order',
    'UPDATE change_order SET id = 3 - id WHERE revision IN (1, 2)',
    /a change comes before an earlier one of its object: 1/,
  ],
]

describe('the checker of the store', () => {
  test.each(postgresVersions)(
    'finds no fault in a consistent store on PostgreSQL %s, with and without pending changes',
    async (version) => {
      await using database = await createFilled(version)
      expect(await checkStore(database.url)).toEqual([])
      await execute(database.url, 'INSERT INTO pending_changes SELECT id, 2 FROM change_order WHERE revision = 8')
      await execute(
        database.url,
        'DELETE FROM change_order WHERE revision = 8; UPDATE sequencer s SET revision = 7, tag = o.tag FROM change_order o WHERE o.revision = 7',
      )
      expect(await checkStore(database.url)).toEqual([])
    },
  )

  test('ignores entries of an index that is no longer declared', async () => {
    await using database = await createFilled()
    await execute(database.url, `UPDATE m_1 SET sets = sets || '{"9": ["old"]}' WHERE name = 'bob'`)
    expect(await checkStore(database.url)).toEqual([])
  })

  test('accepts rows without changes only with bulkLoaded', async () => {
    await using database = await createFilled()
    const loaded = { id: 9, name: 'eve', uid: randomUUID(), labels: {}, sets: {} }
    await execute(database.url, `INSERT INTO m_1 ${copyOf('m_1', `name = 'bob'`, loaded)}`)
    expect(await checkStore(database.url)).toEqual([expect.stringContaining('a row is not in the log: 1')])
    expect(await checkStore(database.url, { bulkLoaded: true })).toEqual([])
  })

  for (const [what, plant, says] of faults) {
    test(`detects that ${what}`, async () => {
      await using database = await createFilled()
      await execute(database.url, plant)
      expect((await checkStore(database.url)).join('\n')).toMatch(says)
    })
  }
})

async function createFilled(version: PostgresVersion = '18'): Promise<TestDatabase> {
  const database = await createDatabase(inject('postgres')[version])
  await using store = await openPostgresStore({ url: database.url, onConnectionLost: () => {} })
  await store.openModel(people)
  await store.openModel(places)
  const written = async (...operations: Parameters<typeof store.write>[0]): Promise<StoredObject> => {
    const [result] = await store.write(operations)
    if (!result) throw new Error('a write answered nothing')
    return result.object
  }
  const values = { city: 'Rome', age: '4', tags: ['blue', 'red'], badges: ['b1'], labels: { team: 'x' } }
  const ann = await written(create({ name: 'ann', city: 'Bonn', labels: { team: 'w' } }))
  await written(update(ann, { text: 'new', ...values, email: 'ann@x' }))
  await written(create({ name: 'bob', age: '5', tags: ['red'], labels: { team: 'z' } }))
  await written(create('cid'))
  await written({ type: 'delete', model: people, name: 'cid' })
  await written(create({ name: 'dan', held: true }))
  await written({ type: 'delete', model: people, name: 'dan' })
  await written(create('here', places))
  await expect.poll(() => store.head(), { interval: 5 }).toMatch(/^8\./)
  return database
}

function copyOf(table: string, condition: string, changed: Readonly<Record<string, unknown>>): string {
  return `SELECT (jsonb_populate_record(t, '${JSON.stringify(changed)}')).* FROM ${table} t WHERE ${condition}`
}

function differing(column: string): RegExp {
  return new RegExp(`a row is not as its newest change says: 1, .*"differs":"${column}"`)
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    // One by one, each in a separate transaction.
    for (const statement of sql.split(';\n')) await client.query(statement)
  } finally {
    await client.end()
  }
}
