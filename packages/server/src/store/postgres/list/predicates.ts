import { prefixEnd } from '../../index-key.ts'
import type { AnyOf, Clause, Condition, Term } from '../../store.ts'
import { timeRanges } from '../../time-bounds.ts'
import { fieldOf } from '../../list-order.ts'
import { labelTableOf, setTableOf, tableOf, type ModelTable } from '../../model-table.ts'
import type { Parameters } from '../parameters.ts'

/** The clause as a condition on the row `o` alone: labels and sets are tested on their copies in the row. */
export function rowPredicate(model: ModelTable, term: Clause, parameters: Parameters): string {
  if ('anyOf' in term) {
    const all = (terms: readonly Term[]) => terms.map((each) => rowPredicate(model, each, parameters)).join(' AND ')
    return `(${term.anyOf.map((terms) => `(${all(terms)})`).join(' OR ')})`
  }
  if ('label' in term) return labelPredicate(term, parameters)
  const field = fieldOf(model, term.field)
  switch (field.kind) {
    case 'text':
      return textPredicate(`o.${field.column}`, term.is, parameters)
    case 'set':
      return setPredicate(field.slot, term.is, parameters)
    case 'time':
      return timePredicate(
        { column: `o.${field.column}`, shift: field.column === 'id' ? 20n : 0n },
        term.is,
        parameters,
      )
  }
}

/**
 * The ids that the clause selects, from an index, as a query `SELECT id FROM ...`; undefined where no index helps, as for terms
 * that select missing values.
 */
export function idsQuery(model: ModelTable, term: Clause, parameters: Parameters): string | undefined {
  const ids = idsQueryWithRepeats(model, term, parameters)
  return ids !== undefined && repeatsIds(model, term) ? `SELECT DISTINCT id FROM (${ids}) repeated` : ids
}

/** Whether an object may have several matching entries. */
export function repeatsIds(model: ModelTable, term: Clause): boolean {
  if ('anyOf' in term) return true
  return 'field' in term && fieldOf(model, term.field).kind === 'set' && term.is.op !== '='
}

/**
 * Maximum number of terms that are joined: each adds a table, and from `geqo_threshold`, 12, on PostgreSQL searches for a join
 * order at random, which took 7 s for 100 label terms and ended without a result.
 */
export const maxJoinedTerms = 8

/** The ids that all terms select, without duplicates; undefined when there are too many terms or one has no index. */
export function intersection(model: ModelTable, terms: readonly Clause[], parameters: Parameters): string | undefined {
  if (terms.length === 0 || terms.length > maxJoinedTerms || !terms.every((term) => isIndexed(model, term)))
    return undefined
  const [first, ...others] = terms.toSorted((a, b) => Number(repeatsIds(model, a)) - Number(repeatsIds(model, b)))
  const ids = first && idsQuery(model, first, parameters)
  const also = others.map((term) => `i.id IN (${idsQueryWithRepeats(model, term, parameters) ?? ''})`)
  return also.length === 0 ? ids : `SELECT i.id FROM (${ids}) i WHERE ${also.join(' AND ')}`
}

export interface CountOptions {
  readonly bound: number
  readonly parameters: Parameters
}

/**
 * A scalar: the number of objects that the terms select, counted up to one above the bound; undefined unless every term has an
 * index. Entries that repeat ids are first read only twice as far as the bound: deduplicating 500,000 took 250 ms.
 */
export function boundedCount(
  model: ModelTable,
  terms: readonly Clause[],
  { bound, parameters }: CountOptions,
): string | undefined {
  const first = bound + 1
  const [only, ...others] = terms
  if (only && 'anyOf' in only && others.length === 0) return boundedCountOfAny(model, only, { bound, parameters })
  const entries = only && others.length === 0 && repeatsIds(model, only) && idsQueryWithRepeats(model, only, parameters)
  const countIds = (ids: string) => `(SELECT count(*) FROM (${ids} LIMIT ${first}) counted)`
  if (!entries) {
    const ids = intersection(model, terms, parameters)
    return ids && countIds(ids)
  }
  return `(SELECT CASE WHEN found > ${bound} OR entries < ${2 * first} THEN found
    ELSE ${countIds(`SELECT DISTINCT id FROM (${entries}) repeated`)} END
    FROM (SELECT count(*) AS entries, count(DISTINCT id) AS found FROM (${entries} LIMIT ${2 * first}) e) begun)`
}

/** An alternative with more objects than the bound decides alone, so each is read only so far. */
function boundedCountOfAny(model: ModelTable, clause: AnyOf, { bound, parameters }: CountOptions): string | undefined {
  if (!isIndexed(model, clause)) return undefined
  const ids = clause.anyOf.map((terms) => `(${intersection(model, terms, parameters) ?? ''} LIMIT ${bound + 1})`)
  const distinct = `SELECT DISTINCT id FROM (${ids.join(' UNION ALL ')}) repeated`
  return `(SELECT count(*) FROM (${distinct} LIMIT ${bound + 1}) counted)`
}

/**
 * Whether indexes contain the objects that the clause selects; never for terms that select missing values in sets or labels, nor
 * for alternatives of several terms: intersecting 8 of 4 terms took 1 s among 400,000 objects, testing each object 0.3 s.
 */
export function isIndexed(model: ModelTable, clause: Clause): boolean {
  if ('anyOf' in clause)
    return clause.anyOf.every((terms) => terms.length === 1 && terms.every((term) => isIndexed(model, term)))
  const {
    is: { op },
    ...term
  } = clause
  if (op === 'not in') return false
  return op !== 'absent' || ('field' in term && fieldOf(model, term.field).kind !== 'set')
}

/** Like `idsQuery`, but an object with several matching values may appear several times: enough for counting, and cheaper. */
export function idsQueryWithRepeats(model: ModelTable, term: Clause, parameters: Parameters): string | undefined {
  if (!isIndexed(model, term)) return undefined
  if ('anyOf' in term) {
    return term.anyOf
      .map(([only]) => `(${(only && idsQueryWithRepeats(model, only, parameters)) ?? ''})`)
      .join(' UNION ALL ')
  }
  if ('label' in term) {
    const key = parameters.add(term.label)
    const value = term.is.op === 'present' ? '' : ` AND ${textPredicate('value', term.is, parameters)}`
    return `SELECT id FROM ${labelTableOf(model)} WHERE key = ${key}${value}`
  }
  const field = fieldOf(model, term.field)
  if (field.kind === 'set') {
    const where = term.is.op === 'present' ? '' : ` WHERE ${textPredicate('value', term.is, parameters)}`
    return `SELECT id FROM ${setTableOf(model, field.slot)}${where}`
  }
  return `SELECT o.id FROM ${tableOf(model)} o WHERE ${rowPredicate(model, term, parameters)}`
}

function textPredicate(column: string, condition: Condition, parameters: Parameters): string {
  switch (condition.op) {
    case 'present':
      return `${column} IS NOT NULL`
    case 'absent':
      return `${column} IS NULL`
    case 'in':
      return `${column} = ANY(${parameters.add(condition.values)}::text[])`
    case 'not in':
      return `(${column} IS NULL OR ${column} <> ALL(${parameters.add(condition.values)}::text[]))`
    case 'prefix': {
      const end = prefixEnd(condition.value)
      const from = `${column} >= ${parameters.add(condition.value)}::text`
      return end === undefined ? from : `(${from} AND ${column} < ${parameters.add(end)}::text)`
    }
    default:
      return `${column} ${condition.op} ${parameters.add(condition.value)}::text`
  }
}

function labelPredicate({ label, is }: { label: string; is: Condition }, parameters: Parameters): string {
  const key = `${parameters.add(label)}::text`
  if (is.op === 'present') return `jsonb_exists(o.labels, ${key})`
  if (is.op === 'absent') return `NOT jsonb_exists(o.labels, ${key})`
  return textPredicate(`((o.labels ->> ${key}) COLLATE "C")`, is, parameters)
}

function setPredicate(slot: number, condition: Condition, parameters: Parameters): string {
  const set = `(o.sets -> '${slot}')`
  switch (condition.op) {
    case 'present':
      return `jsonb_exists(o.sets, '${slot}')`
    case 'absent':
      return `NOT jsonb_exists(o.sets, '${slot}')`
    case '=':
      return `coalesce(jsonb_exists(${set}, ${parameters.add(condition.value)}::text), false)`
    case 'in':
      return `coalesce(jsonb_exists_any(${set}, ${parameters.add(condition.values)}::text[]), false)`
    case 'not in':
      return `NOT coalesce(jsonb_exists_any(${set}, ${parameters.add(condition.values)}::text[]), false)`
    default: {
      const value = textPredicate('(v.value COLLATE "C")', condition, parameters)
      return `EXISTS (SELECT FROM jsonb_array_elements_text(${set}) v (value) WHERE ${value})`
    }
  }
}

function timePredicate(
  { column, shift }: { column: string; shift: bigint },
  condition: Condition,
  parameters: Parameters,
): string {
  if (condition.op === 'not in') {
    const selected = timePredicate({ column, shift }, { op: 'in', values: condition.values }, parameters)
    return `coalesce(NOT ${selected}, true)`
  }
  const ranges = timeRanges(condition)
  if (ranges === 'present') return `${column} IS NOT NULL`
  if (ranges === 'absent') return `${column} IS NULL`
  const bound = (milliseconds: number) => `${parameters.add((BigInt(milliseconds) << shift).toString())}::bigint`
  const parts = ranges.map(({ from, before }) =>
    [
      ...(from === undefined ? [] : [`${column} >= ${bound(from)}`]),
      ...(before === undefined ? [] : [`${column} < ${bound(before)}`]),
    ].join(' AND '),
  )
  return parts.length === 0 ? 'false' : `(${parts.map((part) => `(${part})`).join(' OR ')})`
}
