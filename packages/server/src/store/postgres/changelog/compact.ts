import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Retention } from '../../store.ts'
import { acquireLease, releaseLease, type LeaseParts } from '../leases.ts'
import { ensurePartitions, partitionName, type LogParent, type PartitionSizes } from './log-partitions.ts'
import { run } from '../indexes/order-indexes.ts'

const leaseMs = 10 * 60_000

/** Drops whole partitions, at a cost that does not depend on their size. One replica at a time. */
export async function compact(parts: LeaseParts, retention: Retention, sizes: PartitionSizes): Promise<void> {
  const { pool } = parts
  const lease = await acquireLease(parts, 'change log compaction', { holder: randomUUID(), ttlMs: leaseMs })
  if (!lease) return
  try {
    await ensurePartitions(pool, sizes)
    await noteLowestIds(pool)
    for (const { from_place } of await expiredOrder(pool, retention.keepMs))
      await drop(pool, 'change_order', from_place)
    await dropUnreferenced(pool)
    while ((await logBytes(pool)) > retention.maxBytes) {
      const [oldest] = await expiredOrder(pool, 0)
      if (!oldest) return
      await drop(pool, 'change_order', oldest.from_place)
      await dropUnreferenced(pool)
    }
  } finally {
    await releaseLease(pool, lease)
  }
}

interface Partition {
  readonly from_place: string
}

/** Partitions of the order whose changes are all older than `keepMs`, oldest first. */
async function expiredOrder(pool: Pool, keepMs: number): Promise<readonly Partition[]> {
  const { rows } = await pool.query<Partition>(
    `SELECT from_place FROM log_partitions
     WHERE parent = 'change_order' AND left_at <= clock_timestamp() - $1 * interval '1 millisecond' ORDER BY from_place`,
    [keepMs],
  )
  return rows
}

/** Computed once for each partition of the order that gets no more revisions. */
async function noteLowestIds(pool: Pool): Promise<void> {
  const { rows } = await pool.query<Partition>(
    `SELECT from_place FROM log_partitions WHERE parent = 'change_order' AND left_at IS NOT NULL AND lowest_id IS NULL`,
  )
  for (const { from_place } of rows) {
    await run(
      pool,
      `UPDATE log_partitions SET lowest_id = (SELECT min(id) FROM ${partitionName('change_order', from_place)})
       WHERE parent = 'change_order' AND from_place = ${from_place}`,
    )
  }
}

/**
 * Drops changes that the order no longer refers to. A transaction that drew an id from a partition may still insert a change,
 * so only partitions left before the start of every running transaction are dropped.
 */
async function dropUnreferenced(pool: Pool): Promise<void> {
  const { rows: settled } = await pool.query<Partition & { to_place: string }>(
    `SELECT from_place, to_place FROM log_partitions WHERE parent = 'changes' AND left_at < (
       SELECT coalesce(min(xact_start), 'infinity') FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()
     ) ORDER BY from_place`,
  )
  if (settled.length === 0) return
  const { rows } = await pool.query<{ lowest: string | null }>(lowestReferencedSql)
  const lowest = BigInt(rows[0]?.lowest ?? 0)
  for (const { from_place, to_place } of settled) {
    if (BigInt(to_place) <= lowest) await drop(pool, 'changes', from_place)
  }
}

/**
 * The lowest id of changes that are kept or have no position yet. Zero while no change is in order, so that nothing is dropped.
 */
const lowestReferencedSql = `
  SELECT least(
    (SELECT min(lowest_id) FROM log_partitions WHERE parent = 'change_order'),
    (SELECT min(id) FROM pending_changes),
    (SELECT coalesce(min(id), 0) FROM change_order
     WHERE revision >= (SELECT min(from_place) FROM log_partitions WHERE parent = 'change_order' AND left_at IS NULL))
  ) AS lowest`

async function logBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `SELECT coalesce(sum(pg_total_relation_size(format('%s_p%s', parent, from_place)::regclass)), 0) AS bytes FROM log_partitions`,
  )
  return Number(rows[0]?.bytes ?? 0)
}

/** Detaches concurrently, because dropping an attached partition locks the whole log. Finishes what a crash left half done. */
async function drop(pool: Pool, parent: LogParent, from: string): Promise<void> {
  const name = partitionName(parent, from)
  const { rows } = await pool.query<{ pending: boolean }>(
    `SELECT inhdetachpending AS pending FROM pg_inherits
     WHERE inhrelid = to_regclass($1) AND inhparent = to_regclass($2)`,
    [name, parent],
  )
  const [attached] = rows
  if (attached) {
    await run(pool, `ALTER TABLE ${parent} DETACH PARTITION ${name} ${attached.pending ? 'FINALIZE' : 'CONCURRENTLY'}`)
  }
  await run(pool, `DROP TABLE IF EXISTS ${name}`)
  await pool.query('DELETE FROM log_partitions WHERE parent = $1 AND from_place = $2', [parent, from])
}
