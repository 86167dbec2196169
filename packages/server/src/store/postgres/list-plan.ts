import type { Pool } from 'pg'
import { boundedTotal, type ListQuery, type Term } from '../store.ts'
import type { ModelTable } from './model-table.ts'
import { createParameters } from './parameters.ts'
import { countedDriver, fieldOf } from './predicates.ts'

/**
 * How the matching rows are found. The database's own choice falls off cliffs: with a filter and an unrelated sort it
 * took 3 s to meet 3,000 objects at the far end of the order, and 6 s with a tag that only the oldest have.
 */
export type Plan =
  /** Along the order asked for, row by row, until the page is full: for sets so large that they are met soon. */
  | { readonly way: 'ordered scan' }
  /** All candidates of one term are read first, then filtered and sorted: for sets of at most `candidateLimit`. */
  | { readonly way: 'candidates'; readonly term: Term }
  /** The entries of the term's own index, which are in creation order. */
  | { readonly way: 'along the index'; readonly term: Term }

const candidateLimit = boundedTotal

/** Counts, up to the limit, what each term selects by its index; the smallest set decides. */
export async function choosePlan(pool: Pool, model: ModelTable, query: ListQuery): Promise<Plan> {
  const terms = query.where ?? []
  const [only, ...others] = terms
  if (!only || servedByComposite(model, query)) return { way: 'ordered scan' }
  if (others.length === 0 && byCreation(query) && isEquality(model, only)) return { way: 'along the index', term: only }
  const parameters = createParameters()
  const counted = terms.flatMap((term) => {
    const ids = countedDriver(model, term, parameters)
    return ids === undefined ? [] : [{ term, sql: `(SELECT count(*) FROM (${ids} LIMIT ${candidateLimit + 1}) ids)` }]
  })
  if (counted.length === 0) return { way: 'ordered scan' }
  const text = `SELECT ${counted.map(({ sql }, at) => `${sql}::int AS c${at}`).join(', ')}`
  const { rows } = await pool.query<Record<string, number>>(text, parameters.values)
  const [smallest] = counted
    .map(({ term }, at) => ({ term, count: rows[0]?.[`c${at}`] ?? 0 }))
    .toSorted((a, b) => a.count - b.count)
  if (!smallest || smallest.count > candidateLimit) return { way: 'ordered scan' }
  return { way: 'candidates', term: smallest.term }
}

function byCreation({ sort = [] }: ListQuery): boolean {
  return sort.length === 0 || sort[0]?.field === 'metadata.creationTimestamp'
}

/** A label, a set or a single value that equals something: the index has these entries side by side, by id. */
function isEquality(model: ModelTable, term: Term): boolean {
  if (term.is.op !== '=') return false
  if ('label' in term) return true
  const { kind } = fieldOf(model, term.field)
  return kind === 'column' || kind === 'set'
}

/** Equality on the first parts of a declared composite and a sort by the rest: one range of one B-tree is the answer. */
function servedByComposite({ composites }: ModelTable, { where = [], sort = [] }: ListQuery): boolean {
  const equal = where.flatMap((term) => ('field' in term && term.is.op === '=' ? [term.field] : []))
  if (equal.length !== where.length || sort.length === 0) return false
  return composites.some((parts) => {
    if (parts.length !== equal.length + sort.length) return false
    if (!parts.slice(0, equal.length).every(({ index }) => equal.includes(index))) return false
    const sorted = parts.slice(equal.length)
    const same = sorted.map(({ descending = false }, at) => sort[at]?.descending === descending)
    return sorted.every(({ index }, at) => sort[at]?.field === index) && new Set(same).size === 1
  })
}
