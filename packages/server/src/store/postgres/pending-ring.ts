import type { Pool } from 'pg'
import { inTransaction } from './transaction.ts'

/** `pending_changes_0` to `_7`, each for 16,384 ids in turn. */
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
