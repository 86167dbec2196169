import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { compact } from '../../../packages/server/src/store/postgres/changelog/compact.ts'

/** Changes per partition of the log: few, so that every round drops partitions, even on a slow machine. */
const size = 64
/** Partitions created in advance; more than are filled between two checks. */
const ahead = 24
const makeEveryMs = 300
/** A partition far ahead, so that no replica creates large ones before it is reached. */
const farOff = 1_000_000_000

/** Small partitions of the log of a cluster, and the deletion of the oldest. */
export interface LogRoom extends AsyncDisposable {
  /** Deletes older partitions; does nothing while the database is down. */
  forget(keepMs: number): Promise<void>
  /**
   * The lowest number that was kept after all deletions begun before a moment: a reader at a lower number may
   * have got 410.
   */
  floorAt(moment: number): number
  /** Number of deletions. */
  readonly times: number
}

interface Forgetting {
  readonly began: number
  floor: number
}

/** Runs before a store opens and creates large partitions. */
export async function makeLogRoom(url: string): Promise<LogRoom> {
  const pool = new Pool({ connectionString: url, max: 4, application_name: 'history', query_timeout: 20_000 })
  pool.on('error', () => {})
  for (const parent of parents) await makePartition(pool, { parent, from: farOff, newest: 0 })
  await makeAhead(pool)
  let isOver = false
  const making = keepMaking(pool, () => isOver)
  const past: Forgetting[] = []
  return {
    forget: async (keepMs) => {
      const now: Forgetting = { began: performance.now(), floor: Number.POSITIVE_INFINITY }
      past.push(now)
      await compact(
        { pool, replica: undefined },
        { keepMs, maxBytes: Number.MAX_SAFE_INTEGER },
        { smallest: size },
      ).catch(async () => {
        // After a crash the lease is held for longer than a round lasts.
        await pool.query(`DELETE FROM leases WHERE name = 'change log compaction'`).catch(() => {})
      })
      now.floor = await lowest(pool)
    },
    floorAt: (moment) => Math.max(0, ...past.filter(({ began }) => began <= moment).map(({ floor }) => floor)),
    get times() {
      return new Set(past.map(({ floor }) => floor)).size - 1
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await making
      await pool.end()
    },
  }
}

async function lowest(pool: Pool): Promise<number> {
  for (;;) {
    try {
      const { rows } = await pool.query<{ lowest: string | null }>('SELECT min(revision) AS lowest FROM change_order')
      return Number(rows[0]?.lowest ?? 0)
    } catch {
      await sleep(100)
    }
  }
}

async function keepMaking(pool: Pool, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    // No more partitions are needed while the database is down.
    await makeAhead(pool).catch(() => {})
    await sleep(makeEveryMs)
  }
}

const parents = ['changes', 'change_order'] as const

async function makeAhead(pool: Pool): Promise<void> {
  for (const parent of parents) {
    const place = parent === 'changes' ? 'last_value FROM change_id' : 'revision FROM sequencer'
    const { rows } = await pool.query<{ end: string; newest: string }>(
      `SELECT coalesce(max(to_place), 0) AS end, (SELECT ${place}) AS newest FROM log_partitions
       WHERE parent = '${parent}' AND from_place < ${farOff}`,
    )
    const newest = Number(rows[0]?.newest)
    for (let from = Number(rows[0]?.end); from < newest + ahead * size; from += size)
      await makePartition(pool, { parent, from, newest })
  }
}

interface NewPartition {
  readonly parent: (typeof parents)[number]
  readonly from: number
  readonly newest: number
}

async function makePartition(pool: Pool, { parent, from, newest }: NewPartition): Promise<void> {
  await pool.query(`
    CREATE TABLE ${parent}_p${from} (LIKE ${parent} INCLUDING ALL);
    ALTER TABLE ${parent} ATTACH PARTITION ${parent}_p${from} FOR VALUES FROM (${from}) TO (${from + size});
    INSERT INTO log_partitions (parent, from_place, to_place, newest) VALUES ('${parent}', ${from}, ${from + size}, ${newest})`)
}
