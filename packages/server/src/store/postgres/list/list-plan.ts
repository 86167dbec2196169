import type { Pool } from 'pg'
import { fieldOf } from '../../list-order.ts'
import { obviousWay, smallestOfEach, wayByCounts, type Counted, type Way } from '../../list-selection.ts'
import type { ModelTable } from '../../model-table.ts'
import { isTerm } from '../../selectable.ts'
import { boundedTotal, type AnyOf, type Clause, type ListQuery, type Term } from '../../store.ts'
import { createParameters, type Parameters } from '../parameters.ts'
import { boundedCount, idsQueryWithRepeats, isIndexed, maxJoinedTerms, repeatsIds } from './predicates.ts'

export interface PlanParts {
  readonly pool: Pool
  /** Maximum number of candidates that are read. */
  readonly candidateLimit: number
}

export type Plan =
  | Way
  /** Intersects several terms using only their indexes: few objects, though each term selects many. */
  | { readonly way: 'intersection'; readonly terms: readonly Clause[] }
  /** Scans in order, without counting again, because very many objects match. */
  | { readonly way: 'ordered scan'; readonly matches: 'beyond the bound' }

export async function choosePlan(parts: PlanParts, model: ModelTable, query: ListQuery): Promise<Plan> {
  const obvious = obviousWay(model, query)
  if (obvious) return obvious
  const { where = [] } = query
  const single = inLikelyOrder(model, where.filter(isTerm))
  const counted: Counted[] = [...(await countTerms(parts, model, single))]
  const several = where.flatMap((clause) => (isTerm(clause) ? [] : [clause]))
  for (const clause of several) counted.push(...(await countAlternatives(parts, model, clause)))
  if (counted.length === 0) return { way: 'ordered scan' }
  const way = wayByCounts(counted, parts.candidateLimit)
  const isCounted = way.way === 'ordered scan' && (query.total ?? 'bounded') === 'bounded'
  const indexed = [...single, ...several.filter((clause) => isIndexed(model, clause))].slice(0, maxJoinedTerms)
  return isCounted ? countTogether(parts, model, { where, terms: indexed }) : way
}

/** Each by its index; a round trip of about a millisecond. */
async function countTerms(parts: PlanParts, model: ModelTable, terms: readonly Term[]): Promise<readonly Counted[]> {
  if (terms.length === 0) return []
  const parameters = createParameters()
  const counts = countsOf(parts, model, { terms, parameters })
  const { rows } = await parts.pool.query<Record<string, number>>(`SELECT * FROM ${counts}`, parameters.values)
  return terms.map((term, at) => ({ term, count: rows[0]?.[`c${at}`] ?? 0 }))
}

/** The terms of all alternatives in one round trip; empty where an alternative has no index. */
async function countAlternatives(parts: PlanParts, model: ModelTable, clause: AnyOf): Promise<readonly Counted[]> {
  const alternatives = clause.anyOf.map((terms) => inLikelyOrder(model, terms))
  if (alternatives.some(({ length }) => length === 0)) return []
  const parameters = createParameters()
  const columns = alternatives.map((terms, at) => {
    const counts = terms.map((_, term) => `c${term}`).join(', ')
    return `(SELECT ARRAY[${counts}] FROM ${countsOf(parts, model, { terms, parameters })}) AS a${at}`
  })
  const { rows } = await parts.pool.query<Record<string, number[]>>(`SELECT ${columns.join(', ')}`, parameters.values)
  const counted = alternatives.map((terms, at) =>
    terms.map((term, of) => ({ term, count: rows[0]?.[`a${at}`]?.[of] ?? 0 })),
  )
  return [smallestOfEach(clause, counted)]
}

interface CountsParts {
  readonly terms: readonly Term[]
  readonly parameters: Parameters
}

/**
 * Each count stops at the smallest count so far, since only a smaller one matters, so the terms likely to select least come
 * first.
 */
function countsOf({ candidateLimit }: PlanParts, model: ModelTable, { terms, parameters }: CountsParts): string {
  const counts = terms.map((term, at) => {
    const ids = idsQueryWithRepeats(model, term, parameters) ?? ''
    const before = terms.slice(0, at).map((_, known) => `c${known}`)
    const limit = at === 0 ? candidateLimit : `least(${before.join(', ')})`
    return `LATERAL (SELECT count(*)::int AS c${at} FROM (${ids} LIMIT ${limit} + 1) ids) counted_${at}`
  })
  return counts.join(', ')
}

/** The terms that an index can answer. */
function inLikelyOrder(model: ModelTable, terms: readonly Term[]): readonly Term[] {
  const ranked = terms.toSorted((a, b) => likelyRank(model, a) - likelyRank(model, b))
  return ranked.filter((term) => isIndexed(model, term)).slice(0, maxJoinedTerms)
}

interface Together {
  readonly where: readonly Clause[]
  /** The clauses that indexes can answer; each selects many objects. */
  readonly terms: readonly Clause[]
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
