import { DatabaseError, type ClientBase, type Pool } from 'pg'
import { inTransaction } from '../write/transaction.ts'

/** The change log, partitioned by ids, and its order, partitioned by revisions. */
const logs = [
  { parent: 'changes', newest: 'SELECT last_value AS newest FROM change_id' },
  { parent: 'change_order', newest: 'SELECT revision AS newest FROM sequencer' },
] as const

export type LogParent = (typeof logs)[number]['parent']

export interface PartitionSizes {
  /** Size of a partition at a low write rate. At most this many positions, plus one, are kept too long. */
  readonly smallest: number
}

export const defaultPartitionSizes: PartitionSizes = { smallest: 16_384 }
const largest = 4_194_304
const partitionsAhead = 4
/** Keeps one day in about 24 partitions. */
const hoursInPartition = 1

/** Creates the next partitions of the change log ahead of the writers. Cheap when there is nothing to do. */
export async function ensurePartitions(pool: Pool, sizes: PartitionSizes): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('pergola partitions' || installation_scope(), 0))`,
    )
    for (const { parent, newest } of logs) {
      const { rows } = await client.query<{ newest: string }>(newest)
      await ensureAhead(client, { parent, newest: Number(rows[0]?.newest ?? 0), sizes })
    }
  })
}

/** Writes were faster than the creation of partitions; retry the write once a partition exists. */
export function isNoPartition(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23514'
}

export const partitionName = (parent: LogParent, from: number | string): string => `${parent}_p${from}`

interface Ahead {
  readonly parent: LogParent
  readonly newest: number
  readonly sizes: PartitionSizes
}

interface LogState {
  readonly end: string
  /** The newest position when the last partition older than a minute was made, and its age. */
  readonly newest_then: string | null
  readonly seconds: number | null
}

async function ensureAhead(client: ClientBase, { parent, newest, sizes }: Ahead): Promise<void> {
  await client.query(
    'UPDATE log_partitions SET left_at = clock_timestamp() WHERE parent = $1 AND left_at IS NULL AND to_place <= $2',
    [parent, newest],
  )
  const { rows } = await client.query<LogState>(stateSql, [parent])
  const { newest_then, seconds, end = '0' } = rows[0] ?? {}
  const perSecond = seconds ? (newest - Number(newest_then)) / seconds : 0
  const wanted = 2 ** Math.floor(Math.log2(Math.max(1, perSecond * 3600 * hoursInPartition)))
  const size = Math.max(sizes.smallest, Math.min(largest, wanted))
  for (let from = Number(end); from - newest <= partitionsAhead * size; from += size) {
    await makePartition(client, { parent, newest, from, to: from + size })
  }
}

const stateSql = `
  SELECT (SELECT coalesce(max(to_place), 0) FROM log_partitions WHERE parent = $1) AS end,
    made.newest AS newest_then, extract(epoch FROM clock_timestamp() - made.made_at)::float8 AS seconds
  FROM (SELECT) nothing LEFT JOIN LATERAL (
    SELECT newest, made_at FROM log_partitions WHERE parent = $1 AND made_at < clock_timestamp() - interval '1 minute'
    ORDER BY made_at DESC LIMIT 1
  ) made ON true`

interface NewPartition {
  readonly parent: LogParent
  readonly newest: number
  readonly from: number
  readonly to: number
}

/** Created separately and then attached, which takes no lock that blocks writers. */
async function makePartition(client: ClientBase, { parent, newest, from, to }: NewPartition): Promise<void> {
  const name = partitionName(parent, from)
  await client.query(`
    CREATE TABLE ${name} (LIKE ${parent} INCLUDING ALL);
    ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`)
  await client.query('INSERT INTO log_partitions (parent, from_place, to_place, newest) VALUES ($1, $2, $3, $4)', [
    parent,
    from,
    to,
    newest,
  ])
}
