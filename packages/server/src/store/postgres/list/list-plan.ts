import type { Pool } from 'pg'
import { fieldOf } from '../../list-order.ts'
import { obviousWay, wayByCounts, type Way } from '../../list-selection.ts'
import type { ModelTable } from '../../model-table.ts'
import { boundedTotal, type ListQuery, type Term } from '../../store.ts'
import { createParameters } from '../parameters.ts'
import { boundedCount, idsQueryWithRepeats, isIndexed, maxJoinedTerms, repeatsIds } from './predicates.ts'

export interface PlanParts {
  readonly pool: Pool
  /** Maximum number of candidates that are read. */
  readonly candidateLimit: number
}

export type Plan =
  | Way
  /** Intersects several terms using only their indexes: few objects, though each term selects many. */
  | { readonly way: 'intersection'; readonly terms: readonly Term[] }
  /** Scans in order, without counting again, because very many objects match. */
  | { readonly way: 'ordered scan'; readonly matches: 'beyond the bound' }

/**
 * Counts each term by its index; a round trip of about a millisecond. Each count stops at the smallest count so far, since only
 * a smaller one matters, so the terms likely to select least come first.
 */
export async function choosePlan(parts: PlanParts, model: ModelTable, query: ListQuery): Promise<Plan> {
  const obvious = obviousWay(model, query)
  if (obvious) return obvious
  const { pool, candidateLimit } = parts
  const { where = [] } = query
  const parameters = createParameters()
  const terms = where.toSorted((a, b) => likelyRank(model, a) - likelyRank(model, b))
  const indexed = terms.filter((term) => isIndexed(model, term)).slice(0, maxJoinedTerms)
  const counted = indexed.flatMap((term) => {
    const ids = idsQueryWithRepeats(model, term, parameters)
    return ids === undefined ? [] : [{ term, ids }]
  })
  if (counted.length === 0) return { way: 'ordered scan' }
  const counts = counted.map(({ ids }, at) => {
    const before = counted.slice(0, at).map((_, known) => `c${known}`)
    const limit = at === 0 ? candidateLimit : `least(${before.join(', ')})`
    return `LATERAL (SELECT count(*)::int AS c${at} FROM (${ids} LIMIT ${limit} + 1) ids) counted_${at}`
  })
  const { rows } = await pool.query<Record<string, number>>(`SELECT * FROM ${counts.join(', ')}`, parameters.values)
  const way = wayByCounts(
    counted.map(({ term }, at) => ({ term, count: rows[0]?.[`c${at}`] ?? 0 })),
    candidateLimit,
  )
  const isCounted = way.way === 'ordered scan' && (query.total ?? 'bounded') === 'bounded'
  return isCounted ? countTogether(parts, model, { where, terms: counted.map(({ term }) => term) }) : way
}

interface Together {
  readonly where: readonly Term[]
  /** The terms that an index can answer; each selects many objects. */
  readonly terms: readonly Term[]
}

/**
 * Testing each object against the terms took 720 ms to count 4,000 among a million; joining the index entries, without reading
 * the objects, took 9 to 70 ms.
 */
async function countTogether(parts: PlanParts, model: ModelTable, { where, terms }: Together): Promise<Plan> {
  const { pool, candidateLimit } = parts
  const [only, ...others] = terms
  if (others.length > 0 || (only && repeatsIds(model, only))) {
    const parameters = createParameters()
    const count = boundedCount(model, terms, { bound: candidateLimit, parameters }) ?? ''
    const { rows } = await pool.query<{ count: number }>(`SELECT ${count}::int AS count`, parameters.values)
    if ((rows[0]?.count ?? 0) <= candidateLimit) return { way: 'intersection', terms }
  }
  const isBeyond = terms.length === where.length && candidateLimit >= boundedTotal
  return { way: 'ordered scan', ...(isBeyond && { matches: 'beyond the bound' as const }) }
}

/** Equality on a field first, then on a set, then on labels; then ranges; mere presence last. */
function likelyRank(model: ModelTable, term: Term): number {
  const { op } = term.is
  const ofKind = 'label' in term ? 2 : fieldOf(model, term.field).kind === 'set' ? 1 : 0
  if (op === '=' || op === 'in') return ofKind
  return op === 'present' ? 6 + ofKind : 3 + ofKind
}
