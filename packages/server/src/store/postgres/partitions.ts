import type { ClientBase, Pool } from 'pg'
import { inTransaction } from './transaction.ts'

/** Changes a partition holds; at 5,000 writes/s one fills in 200 s, and this many stand ready ahead. */
const partitionSize = 1_048_576
const partitionsAhead = 4

const partitioned = [
  { parent: 'changes', newest: 'SELECT last_value AS newest FROM change_id' },
  { parent: 'change_order', newest: 'SELECT revision AS newest FROM sequencer' },
] as const

/** Makes the next partitions of the change log, ahead of the writers. Cheap when there is nothing to do. */
export async function ensurePartitions(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('pergola partitions', 0))`)
    for (const { parent, newest } of partitioned) {
      const { rows } = await client.query<{ newest: string }>(newest)
      const current = Math.floor(Number(rows[0]?.newest ?? 0) / partitionSize)
      for (let number = current; number <= current + partitionsAhead; number++) {
        await ensurePartition(client, parent, number)
      }
    }
  })
}

/** Made apart and then attached, which takes no lock that a writer would wait for. */
async function ensurePartition(client: ClientBase, parent: string, number: number): Promise<void> {
  const name = `${parent}_p${number}`
  const { rows } = await client.query<{ known: boolean }>('SELECT to_regclass($1) IS NOT NULL AS known', [name])
  if (rows[0]?.known) return
  await client.query(`
    CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL);
    ALTER TABLE ${parent} ATTACH PARTITION ${name}
      FOR VALUES FROM (${number * partitionSize}) TO (${(number + 1) * partitionSize})`)
}

/** Slots of the pending ring: `pending_changes_0` to `_7`, each for 16,384 ids in turn. */
const ringSlots = 8
const ringShift = 14

/**
 * Empties the ring slots that the writers have left behind, so that dead rows never pile up. Under a lock that lasts
 * for the truncation, so nobody's uncommitted row is in there; a slot that is busy is left for the next time.
 */
export async function truncateDrained(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ newest: string }>('SELECT last_value AS newest FROM change_id')
  const current = Math.floor(Number(rows[0]?.newest ?? 0) / 2 ** ringShift)
  const behind = Array.from({ length: ringSlots - 3 }, (_, at) => (current + 2 + at) % ringSlots)
  for (const slot of behind) await truncateSlot(pool, `pending_changes_${slot}`)
}

async function truncateSlot(pool: Pool, table: string): Promise<void> {
  const { rows: sizes } = await pool.query<{ pages: number }>('SELECT (pg_relation_size($1) / 8192)::int AS pages', [
    table,
  ])
  if ((sizes[0]?.pages ?? 0) === 0) return
  const lockNotAvailable = '55P03'
  try {
    await inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '20ms'`)
      await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
      const { rows } = await client.query<{ used: boolean }>(`SELECT EXISTS (SELECT FROM ${table}) AS used`)
      if (!rows[0]?.used) await client.query(`TRUNCATE ${table}`)
    })
  } catch (error) {
    if ((error as { code?: string }).code !== lockNotAvailable) throw error
  }
}
