import type { ClientBase, Pool } from 'pg'
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
  if ((await pagesOf(pool, table)) === 0) return
  await underLock(pool, table, async (client) => {
    const { rows } = await client.query<{ used: boolean }>(`SELECT EXISTS (SELECT FROM ${table}) AS used`)
    if (!rows[0]?.used) await client.query(`TRUNCATE ${table}`)
  })
}

/** Some thousand dead rows; without an old snapshot there is one page. */
const sequencerPages = 32

/** Writes the sequencer's only row anew when it has left too many dead ones: every pass, list and head reads past them. */
export async function renewSequencer(pool: Pool): Promise<void> {
  if ((await pagesOf(pool, 'sequencer')) < sequencerPages) return
  await underLock(pool, 'sequencer', async (client) => {
    const { rows } = await client.query<{ revision: string; tag: string }>('SELECT revision, tag FROM sequencer')
    const [row] = rows
    if (!row) throw new Error('the sequencer has no row')
    await client.query('TRUNCATE sequencer')
    await client.query('INSERT INTO sequencer (revision, tag) VALUES ($1, $2)', [row.revision, row.tag])
  })
}

async function pagesOf(pool: Pool, table: string): Promise<number> {
  const { rows } = await pool.query<{ pages: number }>('SELECT (pg_relation_size($1) / 8192)::int AS pages', [table])
  return rows[0]?.pages ?? 0
}

const lockNotAvailable = '55P03'

/** For as long as nobody else uses the table; not at all when that is not so within a moment. */
async function underLock(pool: Pool, table: string, work: (client: ClientBase) => Promise<void>): Promise<void> {
  try {
    await inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '20ms'`)
      await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
      await work(client)
      await client.query('UPDATE log_truncations SET count = count + 1')
    })
  } catch (error) {
    if ((error as { code?: string }).code !== lockNotAvailable) throw error
  }
}
