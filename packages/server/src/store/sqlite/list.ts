import type SqliteDatabase from 'better-sqlite3'
import { encodeCursor } from '../cursor.ts'
import { fieldOf, orderOf, placeOf, type OrderColumn, type ListPosition } from '../list-order.ts'
import { equalitiesOf, type Way } from '../list-selection.ts'
import type { Clause, ListQuery, StoredObject, StoredPage } from '../store.ts'
import type { OpenModel } from './catalog.ts'
import type { ChangeLog } from './changes.ts'
import { tableOf, type ModelTable } from '../model-table.ts'
import { toStoredObject } from './object-row.ts'
import { orderBy, segmentsAfter } from './ordering.ts'
import { createParameters, type Parameters } from './parameters.ts'
import { choosePlan, type PlanOptions } from './plan.ts'
import { idsQuery, opposite, rowPredicate } from './predicates.ts'

export interface ListParts extends PlanOptions {
  readonly database: SqliteDatabase.Database
  readonly log: ChangeLog
}

export type List = (model: OpenModel, query: ListQuery) => StoredPage

/** One read transaction per list, so one snapshot. */
export function createList(parts: ListParts): List {
  return parts.database.transaction((model: OpenModel, query: ListQuery) => list(parts, model, query))
}

function list({ database, log, candidateLimit }: ListParts, model: OpenModel, query: ListQuery): StoredPage {
  const { table, statements } = model
  const order = orderOf(table, query.sort)
  const place = query.after === undefined ? undefined : placeOf(order, query.after)
  const plan = choosePlan(database, table, { ...query, candidateLimit })
  const found = readPage(database, pageStatements(table, query, { order, place, plan }), query)
  const total = totalOf(database, table, { query, plan, found: found.length })
  const items = readObjects(statements, found.slice(0, query.limit), query)
  const [, ...last] = found[items.length - 1] ?? []
  return {
    items,
    revision: log.head(),
    ...(total !== undefined && { total: { count: total, isEstimate: false } }),
    ...(found.length > items.length && {
      next: encodeCursor(last.map((value) => (value === null ? null : String(value)))),
    }),
  }
}

/** Stops after the object that reaches `maxBytes`. */
function readObjects(
  { byId }: OpenModel['statements'],
  found: readonly PageRow[],
  { maxBytes = Number.POSITIVE_INFINITY }: ListQuery,
): readonly StoredObject[] {
  const objects: StoredObject[] = []
  let bytes = 0
  for (const [id] of found) {
    if (bytes >= maxBytes) break
    const row = byId.get(id)
    if (!row) throw new Error('an object is gone in the middle of a transaction')
    objects.push(toStoredObject(row))
    bytes += row.data.length
  }
  return objects
}

interface PageParts {
  readonly order: readonly OrderColumn[]
  readonly place: ListPosition | undefined
  readonly plan: Way
}

/** Run one after the other until the page is full. */
export interface PageStatements {
  /** Each returns ids and sort keys, at most `@limit` after `@offset`; objects are fetched only for the page. */
  readonly texts: readonly string[]
  readonly values: Parameters['values']
}

export function pageStatements(model: ModelTable, query: ListQuery, { order, place, plan }: PageParts): PageStatements {
  const parameters = createParameters()
  const sources = pageSources(model, query.where ?? [], { order, plan, parameters })
  const segments = segmentsAfter(order, place, parameters)
  // An offset counts across all segments, and candidates are read only once.
  const together = (query.offset ?? 0) > 0 || plan.way === 'candidates'
  const ranges = together ? [segments.map((segment) => `(${segment})`).join(' OR ')] : segments
  const columns = ['o.id', ...order.map(({ column }) => `o.${column}`)].join(', ')
  const sorted = `ORDER BY ${orderBy(order)} LIMIT @limit`
  const texts = ranges.map((range) => {
    const [only = '', ...others] = sources.map(
      ({ from, where }) => `SELECT ${columns} FROM ${from} WHERE ${[...where, `(${range})`].join(' AND ')} ${sorted}`,
    )
    if (others.length === 0) return `${only} OFFSET @offset`
    // Each range is read as far as the page could reach; then the ranges are merged.
    const reached = [only, ...others].map((rows) => `SELECT * FROM (${rows} + @offset)`).join(' UNION ')
    return `SELECT * FROM (${reached}) o ${sorted} OFFSET @offset`
  })
  return { texts, values: parameters.values }
}

interface SourceParts {
  readonly order: readonly OrderColumn[]
  readonly plan: Way
  readonly parameters: Parameters
}

/** Each returns some of the rows; several may return the same row. */
function pageSources(
  model: ModelTable,
  terms: readonly Clause[],
  { order, plan, parameters }: SourceParts,
): readonly Source[] {
  if (plan.way === 'along the index') {
    return equalitiesOf(plan.term).map((equal) => ({
      from: `(${idsQuery(model, equal, parameters) ?? ''}) o`,
      where: [],
    }))
  }
  const matching = matchingSql(model, terms, {
    parameters,
    driving: plan.way === 'candidates' ? plan.term : undefined,
    searchable: (term) => plan.way !== 'ordered scan' || isFirst(model, order, term),
  })
  return [matching]
}

/** Whether the term is on the first column of the order, so that it narrows the range that is read. */
function isFirst(model: ModelTable, [first]: readonly OrderColumn[], term: Clause): boolean {
  if (!('field' in term)) return false
  const field = fieldOf(model, term.field)
  return field.kind !== 'set' && field.column === first?.column
}

type PageRow = readonly [id: number, ...keys: (string | number | null)[]]

/** One row more than the page holds, if there is one. */
function readPage(
  database: SqliteDatabase.Database,
  { texts, values }: PageStatements,
  { limit, offset = 0 }: ListQuery,
): readonly PageRow[] {
  let found: readonly PageRow[] = []
  for (const text of texts) {
    const missing = limit + 1 - found.length
    if (missing === 0) break
    const statement = database.prepare<[Parameters['values']], PageRow>(text).raw()
    found = [...found, ...statement.all({ ...values, limit: missing, offset })]
  }
  return found
}

/** For rows named `o`. */
interface Source {
  readonly from: string
  readonly where: readonly string[]
}

interface MatchingParts {
  readonly parameters: Parameters
  /** The term whose ids drive the query; without one, the table does. */
  readonly driving: Clause | undefined
  readonly searchable: (term: Clause) => boolean
}

/** SQLite runs a cross join as written: the candidates are the outer loop. */
function matchingSql(
  model: ModelTable,
  terms: readonly Clause[],
  { parameters, driving, searchable }: MatchingParts,
): Source {
  const ids = driving && idsQuery(model, driving, parameters)
  const where = terms
    .filter((term) => term !== driving)
    .map((term) => rowPredicate(model, term, { parameters, searchable: searchable(term) }))
  if (ids === undefined) return { from: `${tableOf(model)} o`, where }
  return { from: `(${ids}) candidate CROSS JOIN ${tableOf(model)} o ON o.id = candidate.id`, where }
}

interface TotalParts {
  readonly query: ListQuery
  readonly plan: Way
  readonly found: number
}

/** Always exact. A page that reaches the end needs no count. */
function totalOf(
  database: SqliteDatabase.Database,
  model: ModelTable,
  { query, plan, found }: TotalParts,
): number | undefined {
  const { where = [], offset = 0, limit, total, after } = query
  if (total === 'none') return undefined
  const holdsEnd = after === undefined && found <= limit && (found > 0 || offset === 0)
  if (holdsEnd) return offset + found
  const parameters = createParameters()
  const count = countOne(model, where, parameters) ?? countAll(model, where, { plan, parameters })
  return database.prepare<[Parameters['values']], { total: number }>(`SELECT ${count} AS total`).get(parameters.values)
    ?.total
}

/** Counts a single term by its index alone, or subtracts the count of its opposite. */
function countOne(model: ModelTable, [term, ...others]: readonly Clause[], parameters: Parameters): string | undefined {
  if (term === undefined || others.length > 0) return undefined
  const inverse = opposite(term)
  const ids = idsQuery(model, inverse ?? term, parameters)
  if (ids === undefined) return undefined
  const counted = `(SELECT count(*) FROM (${ids}))`
  return inverse ? `(SELECT count(*) FROM ${tableOf(model)}) - ${counted}` : counted
}

function countAll(
  model: ModelTable,
  terms: readonly Clause[],
  { plan, parameters }: { readonly plan: Way; readonly parameters: Parameters },
): string {
  const narrowest = plan.way === 'candidates' ? plan.term : plan.way === 'ordered scan' ? plan.narrowest : undefined
  const { from, where } = matchingSql(model, terms, { parameters, driving: narrowest, searchable: () => true })
  return `(SELECT count(*) FROM ${from}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`})`
}
