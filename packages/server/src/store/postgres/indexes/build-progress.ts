import type { ClientBase, Pool } from 'pg'
import type { ModelTable } from '../../model-table.ts'
import type { IndexBuild } from '../../store.ts'

/**
 * A row of `index_builds`: the progress of filling, so that another replica can continue after a crash and for status reports.
 */
export interface BuildProgress {
  readonly phase: IndexBuild['phase']
  readonly done: number
  readonly total: number
  readonly perSecond: number
  /** Every object up to this id has its entries. */
  readonly reached: string
}

interface BuildRow {
  readonly phase: IndexBuild['phase']
  readonly done: string
  readonly total: string
  readonly per_second: number
  readonly reached: string
}

/** Undefined when filling these indexes has not begun. */
export async function readProgress(pool: Pool, { id, generation }: ModelTable): Promise<BuildProgress | undefined> {
  const { rows } = await pool.query<BuildRow>(
    'SELECT phase, done, total, per_second, reached FROM index_builds WHERE model = $1 AND generation = $2',
    [id, generation],
  )
  const [row] = rows
  if (!row) return undefined
  const { phase, done, total, per_second, reached } = row
  return { phase, done: Number(done), total: Number(total), perSecond: per_second, reached }
}

export async function saveProgress(
  client: Pick<ClientBase, 'query'>,
  { id, generation }: ModelTable,
  { phase, done, total, perSecond, reached }: BuildProgress,
): Promise<void> {
  await client.query(
    `INSERT INTO index_builds (model, generation, phase, done, total, per_second, reached) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (model) DO UPDATE SET generation = $2, phase = $3, done = $4, total = $5, per_second = $6, reached = $7,
       updated_at = now(), started_at = CASE index_builds.generation WHEN $2 THEN index_builds.started_at ELSE now() END`,
    [id, generation, phase, done, total, perSecond, reached],
  )
}

/** The progress for status reports; undefined when every index is ready. */
export async function readBuild(pool: Pool, table: ModelTable): Promise<IndexBuild | undefined> {
  const indexes = table.indexes.filter(({ ready }) => !ready).map(({ name }) => name)
  if (indexes.length === 0) return undefined
  const progress = await readProgress(pool, table)
  if (!progress) return { indexes, phase: 'waiting', done: 0, total: 0, perSecond: 0 }
  const { phase, done, total, perSecond } = progress
  const remainingMs = perSecond > 0 ? Math.round(((total - done) / perSecond) * 1000) : undefined
  return { indexes, phase, done, total, perSecond, ...(remainingMs !== undefined && { remainingMs }) }
}
