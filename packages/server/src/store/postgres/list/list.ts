import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { encodeCursor } from '../../cursor.ts'
import { fieldOf, orderOf, placeOf, type OrderColumn, type ListPosition } from '../../list-order.ts'
import { equalitiesOf } from '../../list-selection.ts'
import { fieldsIn, indexBuilding, missingIndexes } from '../../index-build.ts'
import { encodeRevision } from '../../revision.ts'
import { StaleModel } from '../../stale-model.ts'
import {
  boundedTotal,
  type Clause,
  type ListQuery,
  type ModelKey,
  type Revision,
  type StoredObject,
  type StoredPage,
} from '../../store.ts'
import { orStaleModel, type Catalog, type OpenModel } from '../catalog.ts'
import { binaryRows, type BinaryStatement } from '../connection/named-client.ts'
import { readBuild } from '../indexes/build-progress.ts'
import { choosePlan, type Plan, type PlanParts } from './list-plan.ts'
import { tableOf, type ModelTable } from '../../model-table.ts'
import { idOf, storedObject, storeFields, type ObjectRow } from '../object-row.ts'
import { orderBy, segmentsAfter } from './ordering.ts'
import { createParameters, type Parameters } from '../parameters.ts'
import { boundedCount, idsQuery, idsQueryWithRepeats, intersection, rowPredicate } from './predicates.ts'
import type { Sequencer } from '../changelog/sequencer.ts'

/** A revision carries at most this many changes to skip; with more, the list waits for the sequencer. */
const maxSkipped = 1_000

type PageRow = Pick<ObjectRow, 'owned'> & {
  /** Null beyond the byte limit. */
  readonly data: Buffer | null
} & Record<`key_${number}`, string | null>

export interface ListParts extends PlanParts {
  readonly sequencer: Sequencer
  readonly catalog: Catalog
}

export async function list(parts: ListParts, key: ModelKey, query: ListQuery): Promise<StoredPage> {
  const model = await readyModel(parts, key, fieldsIn(query))
  try {
    return await listBy(parts, model, query)
  } catch (error) {
    throw orStaleModel(error, key)
  }
}

async function listBy(parts: ListParts, model: OpenModel, query: ListQuery): Promise<StoredPage> {
  const { pool } = parts
  const { table } = model
  const order = orderOf(table, query.sort)
  const after = query.after === undefined ? undefined : placeOf(order, query.after)
  const plan = await choosePlan(parts, table, query)
  const statement = keptOrNot(model, pageSql(table, query, { order, after, plan }))
  const { rows, revision, counted } = await readPage(parts, model, statement)
  const total = await totalOf(pool, { model: table, query, counted })
  const items = itemsOf(rows, query.limit)
  const last = rows[items.length - 1]
  return {
    items,
    revision,
    ...(total && { total }),
    ...(rows.length > items.length &&
      last && { next: encodeCursor(order.map(({ column }, at) => keyOf(last, column, at))) }),
  }
}

function itemsOf(rows: readonly PageRow[], limit: number): readonly StoredObject[] {
  const items: StoredObject[] = []
  for (const row of rows) {
    const { owned, data } = row
    if (items.length === limit || data === null) break
    items.push(storedObject(owned, data))
  }
  return items
}

function keyOf(row: PageRow, column: string, at: number): string | null {
  return column === 'id' ? idOf(row) : (row[`key_${at}`] ?? null)
}

/** The cached model may be old: an index that was not ready then may be ready now. */
export async function readyModel(
  { pool, catalog }: Pick<ListParts, 'pool' | 'catalog'>,
  key: ModelKey,
  fields: readonly string[],
): Promise<OpenModel> {
  const known = catalog.find(key)
  if (missingIndexes(known.table, fields).length === 0) return known
  const model = await catalog.refresh(key)
  const [missing] = missingIndexes(model.table, fields)
  if (missing === undefined) return model
  throw indexBuilding(model.table.plural, missing, await readBuild(pool, model.table))
}

interface ReadPage {
  readonly rows: PageRow[]
  readonly revision: Revision
  readonly counted: number | undefined
}

async function readPage(
  { pool, sequencer, catalog }: ListParts,
  { table, revised }: OpenModel,
  statement: BinaryStatement,
): Promise<ReadPage> {
  for (;;) {
    const {
      rows: [place, ...rows],
    } = await pool.query<PageRow>(statement)
    const [counted, number, tag = '', edition, known, before, after, ...skipped] = place?.owned.split(' ') ?? []
    // Pending changes, or the position itself, may have been truncated during this statement.
    if (number === undefined || before !== after) continue
    // Under another edition, an index used here may no longer be filled, or may have other values.
    if (Number(edition) !== table.edition) throw new StaleModel(table)
    if (Number(known) !== revised) await catalog.refresh(table)
    const revision = encodeRevision({ number: Number(number), tag, skipped })
    if (skipped.length <= maxSkipped) return { rows, revision, counted: counted === '-' ? undefined : Number(counted) }
    await sequencer.nextPass(100)
  }
}

/** Beyond this many kinds of pages, plans are not cached. */
const maxKept = 100

/** Adds the name under which a connection caches the plan. */
function keptOrNot({ keptPages }: OpenModel, { text, values, keepsPlan }: PageStatement): BinaryStatement {
  if (!keepsPlan || (keptPages.size >= maxKept && !keptPages.has(text)))
    return { text, values, ...binaryRows, lazy: true }
  const name = keptPages.get(text) ?? `list ${hash('sha256', text, 'base64url')}`
  keptPages.set(text, name)
  return { name, text, values, ...binaryRows, lazy: true }
}

interface PageParts {
  readonly order: readonly OrderColumn[]
  readonly after: ListPosition | undefined
  readonly plan: Plan
}

interface PageStatement {
  readonly text: string
  readonly values: unknown[]
  /** Whether the plan is good for any values. */
  readonly keepsPlan: boolean
}

/**
 * One statement, so one snapshot. The first row is the place: the number of matching objects, the page's position in the change
 * log, and the changes of the model that the page shows but that have no position yet. PostgreSQL runs the parts of a union in
 * turn, unless in parallel, which `list_place` does not permit.
 */
export function pageSql(model: ModelTable, query: ListQuery, { order, after, plan }: PageParts): PageStatement {
  const parameters = createParameters()
  const reach = cachedPageSize(model, plan, query)
  const matching = matchingSql(model, query, { order, plan, parameters, keepsPlan: reach !== undefined })
  const segments = segmentsAfter(order, after, parameters)
  const asked = parameters.add(query.limit + 1)
  const first = reach === undefined ? asked : String(reach)
  const offset = query.offset ? ` OFFSET ${parameters.add(query.offset)}` : ''
  const columns = matching.whole ? 'o.*' : columnsOf(order)
  const pages = matching.from.flatMap((from) =>
    segments.map((segment) => `SELECT ${columns} ${from} WHERE ${[...matching.where, segment].join(' AND ')}`),
  )
  const sorted = (rows: string, limit: string) => `${rows} ORDER BY ${orderBy(order)} LIMIT ${limit}`
  const [only = '', ...others] = pages
  // Each range is read as far as the page could reach; then the ranges are merged.
  const ranges = others.length === 0 ? [] : pages.map((rows) => sorted(rows, `${first} + ${query.offset ?? 0}`))
  const joined = ranges.map((_, at) => `SELECT * FROM range_${at}`).join(matching.repeats ? ' UNION ' : ' UNION ALL ')
  const read = sorted(ranges.length === 0 ? only : `SELECT * FROM (${joined}) o`, `${first}${offset}`)
  const page = reach === undefined ? read : sorted(`SELECT * FROM (${read}) o`, asked)
  const ctes = [...matching.ctes, ...ranges.map((sql, at) => `range_${at} AS (${sql})`)]
  if (!matching.whole) ctes.push(`page AS MATERIALIZED (${page})`)
  const rows = matching.whole ? `(${page}) o` : `(page JOIN ${tableOf(model)} o USING (id))`
  const keys = order.flatMap(({ column }, at) => (column === 'id' ? [] : [[`key_${at}`, `o.${column}::text`] as const]))
  return {
    text: `${ctes.length === 0 ? '' : `WITH ${ctes.join(',\n')}\n`}
      SELECT concat_ws(' ', coalesce(${matching.count}::text, '-'), list_place(${model.id}, ${maxSkipped + 1})) AS owned,
        null::bytea AS data${keys.map(([name]) => `, null AS ${name}`).join('')}
      UNION ALL (
        SELECT ${storeFields({ row: 'o' })}, ${dataSql(query, order)}${keys.map(([, value]) => `, ${value}`).join('')}
        FROM ${rows} ORDER BY ${orderBy(order)}
      )`,
    values: parameters.values,
    keepsPlan: reach !== undefined,
  }
}

/** Plans are cached for these page sizes only: for another limit the planner might choose another plan. */
const reaches = [20, 100, 500]

/**
 * How many rows a statement with a cached plan reads, whatever the values. Applies when one index returns the page in order and
 * the planner has no reason to choose another, which in creation order holds only for labels and sets. Planning takes
 * PostgreSQL a millisecond, three times as long as the page.
 */
function cachedPageSize(model: ModelTable, plan: Plan, query: ListQuery): number | undefined {
  const { where = [], sort = [], limit, offset, maxBytes } = query
  if (offset || maxBytes !== undefined || sort.length > 1 || where.length > 1) return undefined
  const isKept =
    plan.way === 'composite' ||
    (plan.way === 'ordered scan' && where.length === 0) ||
    (plan.way === 'along the index' &&
      plan.term.is.op === '=' &&
      ('label' in plan.term || fieldOf(model, plan.term.field).kind === 'set'))
  const reach = reaches.find((size) => size >= limit)
  return isKept && reach !== undefined ? reach + 1 : undefined
}

/** Null for objects after the one that fills the page. */
function dataSql({ maxBytes }: ListQuery, order: readonly OrderColumn[]): string {
  if (maxBytes === undefined) return 'o.data'
  const bytes = `octet_length(o.data)`
  return `CASE WHEN sum(${bytes}) OVER (ORDER BY ${orderBy(order)}) - ${bytes} < ${maxBytes} THEN o.data END`
}

interface Matching {
  readonly ctes: readonly string[]
  /** Each returns some of the rows, as `o`. */
  readonly from: readonly string[]
  /** Whether several of them may return the same row. */
  readonly repeats?: boolean
  readonly where: readonly string[]
  /** Whether rows are read with their data, instead of being sorted by the order columns first. */
  readonly whole?: boolean
  /** A scalar subquery that counts the matches, or null. */
  readonly count: string
}

interface MatchingParts {
  readonly order: readonly OrderColumn[]
  readonly plan: Plan
  readonly parameters: Parameters
  readonly keepsPlan: boolean
}

const noCount = 'null::bigint'

function matchingSql(model: ModelTable, query: ListQuery, parts: MatchingParts): Matching {
  const { order, plan, parameters, keepsPlan } = parts
  const { where = [], total = 'bounded' } = query
  if (plan.way === 'along the index') {
    // The entries of a value are already in the requested order, so the page is their beginning and needs no sorting.
    const ids = equalitiesOf(plan.term).map((equal) => intersection(model, [equal], parameters) ?? '')
    const from = ids.map((entries) => `FROM (${entries}) o`)
    const count = keepsPlan ? countInOrder(model, query, parts) : countSql(model, query, parameters)
    return { ctes: [], from, repeats: true, where: [], count }
  }
  const terms = plan.way === 'intersection' ? plan.terms : plan.way === 'candidates' ? [plan.term] : []
  const residual = where.filter((term) => !terms.includes(term)).map((term) => rowPredicate(model, term, parameters))
  const ids = intersection(model, terms, parameters)
  if (ids === undefined) {
    const isKnown = 'matches' in plan && total === 'bounded'
    const count = isKnown
      ? `${boundedTotal + 1}::bigint`
      : keepsPlan && where.length > 0
        ? countInOrder(model, query, parts)
        : countSql(model, query, parameters)
    return { ctes: [], from: [`FROM ${tableOf(model)} o`], whole: keepsPlan, where: residual, count }
  }
  const candidates = `candidates AS MATERIALIZED (${ids})`
  const byId = order.length === 1 && order[0]?.column === 'id'
  if (byId && residual.length === 0) {
    const count = total === 'none' ? noCount : '(SELECT count(*) FROM candidates)'
    return { ctes: [candidates], from: ['FROM candidates o'], where: [], count }
  }
  const joined = `FROM candidates JOIN ${tableOf(model)} o USING (id)`
  if (total === 'none') return { ctes: [candidates], from: [joined], where: residual, count: noCount }
  const matching = `matching AS MATERIALIZED (SELECT ${columnsOf(order)} ${joined}${whereSql(residual)})`
  return {
    ctes: [candidates, matching],
    from: ['FROM matching o'],
    where: [],
    count: '(SELECT count(*) FROM matching)',
  }
}

/**
 * A cached plan was made without knowing the value. Where few values are expected to be common, it may scan all objects for the
 * first ten thousand matches, which is slow when there are ten. Counting in index order avoids the scan.
 */
function countInOrder(
  model: ModelTable,
  { where: [term] = [], total = 'bounded' }: ListQuery,
  { order, parameters }: MatchingParts,
): string {
  if (total === 'none' || !term) return noCount
  const ofRows = 'field' in term && fieldOf(model, term.field).kind !== 'set'
  const ids = `${idsQuery(model, term, parameters) ?? ''} ORDER BY ${ofRows ? orderBy(order) : 'id'}`
  return `(SELECT count(*) FROM (${ids}${total === 'exact' ? '' : ` LIMIT ${boundedTotal + 1}`}) counted)`
}

/** Uses only the indexes where they cover all terms. */
function countSql(model: ModelTable, { where = [], total = 'bounded' }: ListQuery, parameters: Parameters): string {
  if (total === 'none') return noCount
  if (total === 'exact') {
    const ids = intersection(model, where, parameters) ?? rowsSql(model, where, parameters)
    return `(SELECT count(*) FROM (${ids}) counted)`
  }
  return (
    boundedCount(model, where, { bound: boundedTotal, parameters }) ??
    `(SELECT count(*) FROM (${rowsSql(model, where, parameters)} LIMIT ${boundedTotal + 1}) counted)`
  )
}

/** Without a condition, orders by the primary key; otherwise the rows themselves would be read. */
function rowsSql(model: ModelTable, where: readonly Clause[], parameters: Parameters): string {
  const conditions = where.map((term) => rowPredicate(model, term, parameters))
  return `SELECT o.id FROM ${tableOf(model)} o${where.length === 0 ? ' ORDER BY o.id' : whereSql(conditions)}`
}

function whereSql(where: readonly string[]): string {
  return where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
}

/** The columns that the order needs; data is fetched only for the page. */
function columnsOf(order: readonly OrderColumn[]): string {
  return [...new Set(['id', ...order.map(({ column }) => column)])].map((column) => `o.${column}`).join(', ')
}

interface TotalParts {
  readonly model: ModelTable
  readonly query: ListQuery
  readonly counted: number | undefined
}

async function totalOf(pool: Pool, { model, query, counted }: TotalParts): Promise<StoredPage['total']> {
  if (counted === undefined) return undefined
  if (query.total === 'exact' || counted <= boundedTotal) return { count: counted, isEstimate: false }
  return { count: Math.max(counted, await estimate(pool, model, query.where ?? [])), isEstimate: true }
}

/** The planner's estimate from its statistics; no more than that of the most selective term alone. */
async function estimate(pool: Pool, model: ModelTable, terms: readonly Clause[]): Promise<number> {
  const estimates: number[] = []
  for (const term of [undefined, ...terms]) {
    const parameters = createParameters()
    const sql = term === undefined ? `SELECT id FROM ${tableOf(model)}` : estimatedSql(model, term, parameters)
    if (sql === undefined) continue
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `EXPLAIN (FORMAT JSON) ${sql}`,
      parameters.values,
    )
    estimates.push(rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0)
  }
  return Math.min(...estimates)
}

/** Alternatives with repeats: PostgreSQL takes any set without repeats of unknown size for 200 rows. */
function estimatedSql(model: ModelTable, clause: Clause, parameters: Parameters): string | undefined {
  return 'anyOf' in clause ? idsQueryWithRepeats(model, clause, parameters) : idsQuery(model, clause, parameters)
}
