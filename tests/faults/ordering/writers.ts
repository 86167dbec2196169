import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { uuidv7 } from '../../../packages/server/src/base/uuid.ts'
import type { ModelKey, Store, StoredObject, WriteOperation } from '../../../packages/server/src/store/store.ts'
import { WriteConflict } from '../../../packages/server/src/store/write-conflict.ts'

export interface WriterOptions {
  readonly stores: readonly Store[]
  readonly model: ModelKey
  readonly hotNames: number
  readonly stopped: () => boolean
  /** Called for every committed change when its write resolves. */
  readonly onCommit: (object: StoredObject, at: number) => void
}

/** Mostly single writes to few objects, some batches over several; deletions and re-creations among them. */
export async function runWriter(lane: number, options: WriterOptions): Promise<void> {
  const { stores, model, stopped, onCommit } = options
  const store = stores[lane % stores.length]
  if (!store) throw new Error('there is no store to write to')
  while (!stopped()) {
    const count = Math.random() < 0.1 ? 3 : 1
    const names = new Set(Array.from({ length: count }, () => `hot-${Math.floor(Math.random() * options.hotNames)}`))
    const operations = await Promise.all(
      [...names].map(async (name) => operationOn(model, name, await store.get(model, name))),
    )
    try {
      const results = await store.write(operations)
      const at = performance.now()
      for (const { outcome, object } of results) if (outcome !== 'unchanged') onCommit(object, at)
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
    }
  }
}

function operationOn(model: ModelKey, name: string, stored: StoredObject | undefined): WriteOperation {
  const city = `c${Math.floor(Math.random() * 20)}`
  const content = {
    data: Buffer.from(`${Math.random()}`.padEnd(200)),
    storedAs: 'v1',
    held: false,
    indexed: { labels: { team: city }, single: { city }, multi: { tags: [city] } },
  }
  if (!stored) return { type: 'create', model, name, uid: uuidv7(Date.now()), content }
  if (Math.random() < 0.05) return { type: 'delete', model, name, expected: { version: stored.version } }
  return {
    type: 'update',
    model,
    name,
    expected: { uid: stored.uid, version: stored.version },
    content,
    newGeneration: false,
    // Set half of the time and rarely true, so that both write paths take part in the race.
    sameEntries: Math.random() < 0.5,
  }
}

/**
 * Slow transactions: each changes one hot object, waits, changes a second, and sometimes rolls back. Each
 * takes its transaction id long before it locks the second object, which is what confuses readers that trust ids.
 */
export async function runSlowWriter(pool: Pool, table: string, options: WriterOptions): Promise<void> {
  const change = `WITH changed AS (
      UPDATE ${table} SET version = version + 1 WHERE name = $1 RETURNING *
    ), logged AS (
      INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, index_generation, stored_as, labels, sets, keys, data)
      SELECT nextval('change_id'), substr($2, 3)::int, 'm', id, name, uid, version, generation, index_generation, stored_as, labels, sets, '{}', data
      FROM changed RETURNING id
    )
    INSERT INTO pending_changes (id, model) SELECT id, substr($2, 3)::int FROM logged`
  while (!options.stopped()) {
    const client = await pool.connect()
    const names = Array.from({ length: 2 }, () => `hot-${Math.floor(Math.random() * options.hotNames)}`).toSorted()
    try {
      await client.query('BEGIN')
      for (const name of names) {
        await client.query(change, [name, table])
        await sleep(Math.random() * 40)
      }
      await client.query(Math.random() < 0.2 ? 'ROLLBACK' : 'COMMIT')
    } finally {
      client.release()
    }
  }
}
