import { prefixEnd } from '../index-key.ts'
import type { Condition, Term } from '../store.ts'
import { timeRanges } from '../time-bounds.ts'
import { fieldOf } from '../list-order.ts'
import { labelTableOf, setTableOf, tableOf, type ModelTable } from '../model-table.ts'
import type { Parameters } from './parameters.ts'

/** The term as a condition on the row `o` alone: labels and sets are answered from their copies in the row. */
export function rowPredicate(model: ModelTable, term: Term, parameters: Parameters): string {
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
 * The ids that the term selects, from an index, as a query `SELECT id FROM ...`; undefined where no index helps,
 * that is for terms that select what is not there.
 */
export function driver(model: ModelTable, term: Term, parameters: Parameters): string | undefined {
  const ids = countedDriver(model, term, parameters)
  const repeats = 'field' in term && fieldOf(model, term.field).kind === 'set' && term.is.op !== '='
  return ids !== undefined && repeats ? `SELECT DISTINCT id FROM (${ids}) repeated` : ids
}

/** The same, but an object with several fitting values may come several times: enough to count by, and cheaper. */
export function countedDriver(model: ModelTable, term: Term, parameters: Parameters): string | undefined {
  if (term.is.op === 'not in') return undefined
  if ('label' in term) {
    if (term.is.op === 'absent') return undefined
    const key = parameters.add(term.label)
    const value = term.is.op === 'present' ? '' : ` AND ${textPredicate('value', term.is, parameters)}`
    return `SELECT id FROM ${labelTableOf(model)} WHERE key = ${key}${value}`
  }
  const field = fieldOf(model, term.field)
  if (field.kind === 'set') {
    if (term.is.op === 'absent') return undefined
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
