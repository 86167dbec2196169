import { fieldOf } from './list-order.ts'
import type { ModelTable } from './model-table.ts'
import { boundedTotal, type AnyOf, type Clause, type ListQuery, type Term } from './store.ts'

/**
 * The access path to matching rows. The database's own choice can be far too slow: with a filter and an unrelated sort it took
 * 3 s to find 3,000 objects at the far end of the order, and 6 s with a tag that only the oldest have.
 */
export type Way =
  /** Scans in the requested order until the page is full: for sets so large that matches are frequent. */
  | { readonly way: 'ordered scan'; readonly narrowest?: Clause }
  /** Reads all candidates of one clause, then filters and sorts them: for sets of at most `candidateLimit`. */
  | { readonly way: 'candidates'; readonly term: Clause }
  /** Reads the entries of the only term's index, one range per value; entries are in creation order. */
  | { readonly way: 'along the index'; readonly term: Term }
  /** Reads one range of a declared composite. */
  | { readonly way: 'composite' }

export const defaultCandidateLimit = boundedTotal

/** The path that can be chosen without counting, if there is one. */
export function obviousWay(model: ModelTable, { where = [], sort = [] }: ListQuery): Way | undefined {
  const [only, ...others] = where
  if (!only) return { way: 'ordered scan' }
  if (servedByComposite(model, { where, sort })) return { way: 'composite' }
  const byCreation = sort.length === 0 || sort[0]?.field === 'metadata.creationTimestamp'
  if ('anyOf' in only || others.length > 0 || !byCreation) return undefined
  return isSideBySide(model, only) ? { way: 'along the index', term: only } : undefined
}

export interface Counted<Of = Clause> {
  readonly term: Of
  readonly count: number
}

/** The alternatives, each by its smallest term; every alternative has a counted one. */
export function smallestOfEach(clause: AnyOf, counted: readonly (readonly Counted<Term>[])[]): Counted {
  const smallest = counted.flatMap((terms) => smallestOf(terms) ?? [])
  const isWhole = clause.anyOf.every(({ length }) => length === 1)
  return {
    term: isWhole ? clause : { anyOf: smallest.map(({ term }) => [term]) },
    count: smallest.reduce((sum, { count }) => sum + count, 0),
  }
}

function smallestOf<Of extends Clause>(counted: readonly Counted<Of>[]): Counted<Of> | undefined {
  return counted.toSorted((a, b) => a.count - b.count)[0]
}

/** The smallest set decides; each count stops one above the limit. */
export function wayByCounts(counted: readonly Counted[], candidateLimit: number): Way {
  const smallest = smallestOf(counted)
  if (!smallest) return { way: 'ordered scan' }
  if (smallest.count > candidateLimit) return { way: 'ordered scan', narrowest: smallest.term }
  return { way: 'candidates', term: smallest.term }
}

/** With more values than this, reading the first entries of each does not pay off. */
const maxEqualities = 100

/** Whether the index stores the entries of each selected value contiguously, ordered by id. */
function isSideBySide(model: ModelTable, term: Term): boolean {
  if ('field' in term && fieldOf(model, term.field).kind === 'time') return false
  const { length } = equalitiesOf(term)
  return length > 0 && length <= maxEqualities
}

/** The term as one equality per selected value; empty for other kinds of terms. */
export function equalitiesOf(term: Term): readonly Term[] {
  if (term.is.op === '=') return [term]
  if (term.is.op !== 'in') return []
  return [...new Set(term.is.values)].map((value) => ({ ...term, is: { op: '=', value } }))
}

/** Equality on the first parts of a declared composite and a sort by the rest: the answer is one range of one B-tree. */
function servedByComposite(
  { composites }: ModelTable,
  { where, sort }: Required<Pick<ListQuery, 'where' | 'sort'>>,
): boolean {
  const equal = where.flatMap((term) => ('field' in term && term.is.op === '=' ? [term.field] : []))
  if (equal.length !== where.length) return false
  return composites.some(({ parts, ready }) => {
    if (!ready || parts.length !== equal.length + sort.length) return false
    if (!parts.slice(0, equal.length).every(({ index }) => equal.includes(index))) return false
    const sorted = parts.slice(equal.length)
    const same = sorted.map(({ descending = false }, at) => sort[at]?.descending === descending)
    return sorted.every(({ index }, at) => sort[at]?.field === index) && new Set(same).size <= 1
  })
}
