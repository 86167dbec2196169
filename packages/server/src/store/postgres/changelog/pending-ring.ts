import type { ClientBase, Pool } from 'pg'
import { inTransaction } from '../write/transaction.ts'

/** `pending_changes_0` to `_7`; each takes 4,096 ids in turn. */
const ringSlots = 8
const ringShift = 12
/** Smallest size of a slot that is truncated while nobody writes: reading fewer pages of dead rows costs less. */
const fewPages = 4

/**
 * Truncates ring slots that the writers have left, so that dead rows do not pile up; truncates all of them while nobody writes,
 * because every list reads past dead rows. Holds a lock during the truncation, so that no uncommitted row is lost; skips a busy
 * slot until the next run.
 */
export async function truncateDrained(pool: Pool, { idle = false } = {}): Promise<void> {
  const { rows } = await pool.query<{ slot: number; pages: number; newest: string }>(
    `SELECT slot, (pg_relation_size('pending_changes_' || slot) / 8192)::int AS pages, last_value AS newest
     FROM change_id, generate_series(0, ${ringSlots - 1}) slot`,
  )
  for (const { slot, pages, newest } of rows) {
    const current = Math.floor(Number(newest) / 2 ** ringShift)
    const ahead = (slot + ringSlots - (current % ringSlots)) % ringSlots
    const isLeft = ahead > 1 && ahead < ringSlots - 1
    if (isLeft ? pages > 0 : idle && pages >= fewPages) await truncateSlot(pool, `pending_changes_${slot}`)
  }
}

async function truncateSlot(pool: Pool, table: string): Promise<void> {
  await underLock(pool, table, async (client) => {
    const { rows } = await client.query<{ used: boolean }>(`SELECT EXISTS (SELECT FROM ${table}) AS used`)
    if (!rows[0]?.used) await client.query(`TRUNCATE ${table}`)
  })
}

/** Some thousand dead rows; without an old snapshot the table has one page. */
const sequencerPages = 32

/** Rewrites the sequencer's only row when it has too many dead versions: every pass, list and head reads past them. */
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

/** Runs `work` under an exclusive lock on the table; skips it when the lock is not available quickly. */
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
