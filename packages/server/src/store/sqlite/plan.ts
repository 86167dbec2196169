import type SqliteDatabase from 'better-sqlite3'
import type { ListQuery, Term } from '../store.ts'
import type { ModelTable } from './model-table.ts'
import { createParameters, type Parameters } from './parameters.ts'
import { driver, fieldOf } from './predicates.ts'

/** How the matching rows are found. */
export type Plan =
  /** Along the order asked for, testing every row, until the page is full: for sets so large that they are met soon. */
  | { readonly way: 'ordered scan'; readonly narrowest?: Term }
  /** All candidates of one term are read first, then filtered and sorted. */
  | { readonly way: 'candidates'; readonly term: Term }
  /** The entries of the only term's own index, which are in creation order. */
  | { readonly way: 'along the index'; readonly term: Term }
  /** One range of a declared composite. */
  | { readonly way: 'composite' }

export interface PlanOptions {
  /** At most this many candidates are read. */
  readonly candidateLimit: number
}

type Selection = Required<Pick<ListQuery, 'where' | 'sort'>>

/** Counts, up to the limit, what each term selects by its index; the smallest set decides. */
export function choosePlan(
  database: SqliteDatabase.Database,
  model: ModelTable,
  { where = [], sort = [], candidateLimit }: Pick<ListQuery, 'where' | 'sort'> & PlanOptions,
): Plan {
  const [only, ...others] = where
  if (!only) return { way: 'ordered scan' }
  if (servedByComposite(model, { where, sort })) return { way: 'composite' }
  if (others.length === 0 && byCreation(sort) && isEquality(model, only)) return { way: 'along the index', term: only }
  const parameters = createParameters()
  const counted = where.flatMap((term) => {
    const ids = driver(model, term, parameters)
    return ids === undefined ? [] : [{ term, sql: `(SELECT count(*) FROM (${ids} LIMIT ${candidateLimit + 1}))` }]
  })
  if (counted.length === 0) return { way: 'ordered scan' }
  const counts = database
    .prepare<[Parameters['values']], number[]>(`SELECT ${counted.map(({ sql }) => sql).join(', ')}`)
    .raw()
    .get(parameters.values)
  const [smallest] = counted
    .map(({ term }, at) => ({ term, count: counts?.[at] ?? 0 }))
    .toSorted((a, b) => a.count - b.count)
  if (!smallest) return { way: 'ordered scan' }
  if (smallest.count > candidateLimit) return { way: 'ordered scan', narrowest: smallest.term }
  return { way: 'candidates', term: smallest.term }
}

function byCreation(sort: Selection['sort']): boolean {
  return sort.length === 0 || sort[0]?.field === 'metadata.creationTimestamp'
}

/** A label, a set or a single value that equals something: the index has these entries side by side, by id. */
function isEquality(model: ModelTable, term: Term): boolean {
  return term.is.op === '=' && ('label' in term || fieldOf(model, term.field).kind !== 'time')
}

/** Equality on the first parts of a declared composite and a sort by the rest: one range of one B-tree is the answer. */
function servedByComposite({ composites }: ModelTable, { where, sort }: Selection): boolean {
  const equal = where.flatMap((term) => ('field' in term && term.is.op === '=' ? [term.field] : []))
  if (equal.length !== where.length) return false
  return composites.some((parts) => {
    if (parts.length !== equal.length + sort.length) return false
    if (!parts.slice(0, equal.length).every(({ index }) => equal.includes(index))) return false
    const sorted = parts.slice(equal.length)
    const same = sorted.map(({ descending = false }, at) => sort[at]?.descending === descending)
    return sorted.every(({ index }, at) => sort[at]?.field === index) && new Set(same).size <= 1
  })
}
