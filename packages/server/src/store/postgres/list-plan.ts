import type { Pool } from 'pg'
import { defaultCandidateLimit, obviousWay, wayByCounts, type Way } from '../list-selection.ts'
import type { ModelTable } from '../model-table.ts'
import type { ListQuery } from '../store.ts'
import { createParameters } from './parameters.ts'
import { countedDriver } from './predicates.ts'

/** Counts, up to the limit, what each term selects by its index; a round trip of about a millisecond. */
export async function choosePlan(pool: Pool, model: ModelTable, query: ListQuery): Promise<Way> {
  const obvious = obviousWay(model, query)
  if (obvious) return obvious
  const parameters = createParameters()
  const counted = (query.where ?? []).flatMap((term) => {
    const ids = countedDriver(model, term, parameters)
    return ids === undefined
      ? []
      : [{ term, sql: `(SELECT count(*) FROM (${ids} LIMIT ${defaultCandidateLimit + 1}) ids)` }]
  })
  if (counted.length === 0) return { way: 'ordered scan' }
  const text = `SELECT ${counted.map(({ sql }, at) => `${sql}::int AS c${at}`).join(', ')}`
  const { rows } = await pool.query<Record<string, number>>(text, parameters.values)
  return wayByCounts(
    counted.map(({ term }, at) => ({ term, count: rows[0]?.[`c${at}`] ?? 0 })),
    defaultCandidateLimit,
  )
}
