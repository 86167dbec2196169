import { prefixEnd } from '../index-key.ts'
import type { Clause, Condition, Term } from '../store.ts'
import { timeRanges } from '../time-bounds.ts'
import { fieldOf } from '../list-order.ts'
import { labelTableOf, setTableOf, tableOf, type ModelTable } from '../model-table.ts'
import { firstIdOf } from './object-ids.ts'
import type { Parameters } from './parameters.ts'

export interface PredicateOptions {
  readonly parameters: Parameters
  /** Whether the database may search by this term; otherwise it only tests rows. */
  readonly searchable: boolean
}

/** The clause as a condition on the row `o`. */
export function rowPredicate(model: ModelTable, term: Clause, options: PredicateOptions): string {
  if ('anyOf' in term) {
    const all = (terms: readonly Term[]) => terms.map((each) => rowPredicate(model, each, options)).join(' AND ')
    return `(${term.anyOf.map((terms) => `(${all(terms)})`).join(' OR ')})`
  }
  const { parameters, searchable } = options
  if ('label' in term) {
    const key = `v.key = ${parameters.add(term.label)}`
    return sidePredicate({ table: labelTableOf(model), copy: 'json_each(o.labels)', key }, term.is, parameters)
  }
  const field = fieldOf(model, term.field)
  if (field.kind === 'set') {
    const copy = `json_each(o.sets, '$."${field.slot}"')`
    return sidePredicate({ table: setTableOf(model, field.slot), copy, key: 'true' }, term.is, parameters)
  }
  // A unary plus keeps SQLite from searching by the column; without statistics it assumes that any equality is selective.
  const column = `${searchable ? '' : '+'}o.${field.column}`
  if (field.kind === 'text') return textPredicate(column, term.is, parameters)
  return timePredicate({ column, valueOf: field.column === 'id' ? firstIdOf : (time) => time }, term.is, parameters)
}

/**
 * The ids that the clause selects, without duplicates, from an index, as a query `SELECT id FROM ...`; undefined where no index
 * helps, as for terms that select missing values and for alternatives of several terms.
 */
export function idsQuery(model: ModelTable, term: Clause, parameters: Parameters): string | undefined {
  if ('anyOf' in term) {
    const ids = term.anyOf.map(([only, ...others]) =>
      only && others.length === 0 ? idsQuery(model, only, parameters) : undefined,
    )
    return ids.includes(undefined) ? undefined : ids.join(' UNION ')
  }
  if (term.is.op === 'not in') return undefined
  if ('label' in term) {
    if (term.is.op === 'absent') return undefined
    const key = `key = ${parameters.add(term.label)}`
    return `SELECT id FROM ${labelTableOf(model)} WHERE ${key} AND ${textPredicate('value', term.is, parameters)}`
  }
  const field = fieldOf(model, term.field)
  if (term.is.op === 'absent' && field.kind !== 'text') return undefined
  if (field.kind === 'set') {
    const distinct = term.is.op === '=' ? '' : 'DISTINCT '
    const value = textPredicate('value', term.is, parameters)
    return `SELECT ${distinct}id FROM ${setTableOf(model, field.slot)} WHERE ${value}`
  }
  return `SELECT o.id FROM ${tableOf(model)} o WHERE ${rowPredicate(model, term, { parameters, searchable: true })}`
}

/** For a term that selects missing values: the term that selects exactly the other objects. */
export function opposite(term: Clause): Term | undefined {
  if ('anyOf' in term) return undefined
  if (term.is.op === 'absent') return { ...term, is: { op: 'present' } }
  if (term.is.op === 'not in') return { ...term, is: { op: 'in', values: term.is.values } }
  return undefined
}

function textPredicate(column: string, condition: Condition, parameters: Parameters): string {
  switch (condition.op) {
    case 'present':
      return `${column} IS NOT NULL`
    case 'absent':
      return `${column} IS NULL`
    case 'in':
      return `${column} IN (${valuesOf(condition, parameters)})`
    case 'not in':
      return `(${column} IS NULL OR ${column} NOT IN (${valuesOf(condition, parameters)}))`
    case 'prefix': {
      const end = prefixEnd(condition.value)
      const from = `${column} >= ${parameters.add(condition.value)}`
      return end === undefined ? from : `(${from} AND ${column} < ${parameters.add(end)})`
    }
    default:
      return `${column} ${condition.op} ${parameters.add(condition.value)}`
  }
}

/** One parameter for all values: the number of parameters of a statement is limited. */
function valuesOf({ values }: { readonly values: readonly string[] }, parameters: Parameters): string {
  return `SELECT value FROM json_each(${parameters.add(JSON.stringify(values))})`
}

/** Labels or one set of values: the side table has them by value, the copy in the row by object. */
interface SideValues {
  readonly table: string
  readonly copy: string
  /** Selects among the values `v`. */
  readonly key: string
}

function sidePredicate(side: SideValues, condition: Condition, parameters: Parameters): string {
  switch (condition.op) {
    case 'absent':
      return `NOT ${sidePredicate(side, { op: 'present' }, parameters)}`
    case 'not in':
      return `NOT ${sidePredicate(side, { op: 'in', values: condition.values }, parameters)}`
    case '=':
    case 'in': {
      const value = textPredicate('v.value', condition, parameters)
      return `EXISTS (SELECT 1 FROM ${side.table} v WHERE ${side.key} AND ${value} AND v.id = o.id)`
    }
    default: {
      const value = textPredicate('v.value', condition, parameters)
      return `EXISTS (SELECT 1 FROM ${side.copy} v WHERE ${side.key} AND ${value})`
    }
  }
}

interface TimeColumn {
  readonly column: string
  /** The smallest value of a millisecond. */
  readonly valueOf: (milliseconds: number) => number
}

function timePredicate(time: TimeColumn, condition: Condition, parameters: Parameters): string {
  const { column, valueOf } = time
  if (condition.op === 'not in') {
    return `coalesce(NOT ${timePredicate(time, { op: 'in', values: condition.values }, parameters)}, true)`
  }
  const ranges = timeRanges(condition)
  if (ranges === 'present') return `${column} IS NOT NULL`
  if (ranges === 'absent') return `${column} IS NULL`
  const parts = ranges.map(({ from, before }) =>
    [
      ...(from === undefined ? [] : [`${column} >= ${parameters.add(valueOf(from))}`]),
      ...(before === undefined ? [] : [`${column} < ${parameters.add(valueOf(before))}`]),
    ].join(' AND '),
  )
  return parts.length === 0 ? 'false' : `(${parts.map((part) => `(${part})`).join(' OR ')})`
}
