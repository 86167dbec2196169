import type SqliteDatabase from 'better-sqlite3'
import { obviousWay, smallestOfEach, wayByCounts, type Counted, type Way } from '../list-selection.ts'
import type { ModelTable } from '../model-table.ts'
import { termsIn } from '../selectable.ts'
import type { ListQuery, Term } from '../store.ts'
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
  const counted = termsIn(where).flatMap((term) => {
    const ids = idsQuery(model, term, parameters)
    return ids === undefined ? [] : [{ term, sql: `(SELECT count(*) FROM (${ids} LIMIT ${candidateLimit + 1}))` }]
  })
  if (counted.length === 0) return { way: 'ordered scan' }
  const counts = database
    .prepare<[Parameters['values']], number[]>(`SELECT ${counted.map(({ sql }) => sql).join(', ')}`)
    .raw()
    .get(parameters.values)
  const byTerm = new Map(
    counted.map(({ term }, at): [Term, Counted<Term>] => [term, { term, count: counts?.[at] ?? 0 }]),
  )
  const countsOf = (terms: readonly Term[]) => terms.flatMap((term) => byTerm.get(term) ?? [])
  const sets = where.flatMap((clause) => {
    if (!('anyOf' in clause)) return countsOf([clause])
    const alternatives = clause.anyOf.map(countsOf)
    return alternatives.every(({ length }) => length > 0) ? [smallestOfEach(clause, alternatives)] : []
  })
  return wayByCounts(sets, candidateLimit)
}
