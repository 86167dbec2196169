import type SqliteDatabase from 'better-sqlite3'
import { obviousWay, wayByCounts, type Way } from '../list-selection.ts'
import type { ModelTable } from '../model-table.ts'
import type { ListQuery } from '../store.ts'
import { createParameters, type Parameters } from './parameters.ts'
import { idsQuery } from './predicates.ts'

export interface PlanOptions {
  /** Maximum number of candidates that are read. */
  readonly candidateLimit: number
}

/** Counts each term by its index, up to the limit. */
export function choosePlan(database: SqliteDatabase.Database, model: ModelTable, query: ListQuery & PlanOptions): Way {
  const { where = [], candidateLimit } = query
  const obvious = obviousWay(model, query)
  if (obvious) return obvious
  const parameters = createParameters()
  const counted = where.flatMap((term) => {
    const ids = idsQuery(model, term, parameters)
    return ids === undefined ? [] : [{ term, sql: `(SELECT count(*) FROM (${ids} LIMIT ${candidateLimit + 1}))` }]
  })
  if (counted.length === 0) return { way: 'ordered scan' }
  const counts = database
    .prepare<[Parameters['values']], number[]>(`SELECT ${counted.map(({ sql }) => sql).join(', ')}`)
    .raw()
    .get(parameters.values)
  return wayByCounts(
    counted.map(({ term }, at) => ({ term, count: counts?.[at] ?? 0 })),
    candidateLimit,
  )
}
