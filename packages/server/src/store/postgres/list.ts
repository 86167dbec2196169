import type { Pool } from 'pg'
import { encodeCursor } from '../cursor.ts'
import { orderOf, placeOf, type OrderColumn, type Place } from '../list-order.ts'
import { equalitiesOf } from '../list-selection.ts'
import { indexBuilding, missingIndexes } from '../index-build.ts'
import { encodeRevision } from '../revision.ts'
import { StaleModel } from '../stale-model.ts'
import { boundedTotal, type ListQuery, type ModelKey, type Revision, type StoredPage, type Term } from '../store.ts'
import { orStaleModel, type Catalog, type OpenModel } from './catalog.ts'
import { readBuild } from './build-progress.ts'
import { choosePlan, type Plan, type PlanParts } from './list-plan.ts'
import { tableOf, type ModelTable } from '../model-table.ts'
import { ownedColumns, toStoredObject, type ObjectRow } from './object-row.ts'
import { orderBy, segmentsAfter } from './ordering.ts'
import { createParameters, type Parameters } from './parameters.ts'
import { boundedCount, driver, intersection, rowPredicate } from './predicates.ts'
import type { Sequencer } from './sequencer.ts'

/** A revision carries at most this many changes to skip; with more the list waits for the sequencer. */
const maxSkipped = 1_000

type PageRow = ObjectRow & {
  readonly total: string | null
  readonly revision: string
  readonly tag: string
  readonly pending: string[] | null
  readonly edition: string
  readonly revised: number
  readonly truncations_then: string
  readonly truncations_now: string
} & Record<`key_${number}`, string | null>

export interface ListParts extends PlanParts {
  readonly sequencer: Sequencer
  readonly catalog: Catalog
}

export async function list(parts: ListParts, key: ModelKey, query: ListQuery): Promise<StoredPage> {
  const model = await readyModel(parts, key, query)
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
  const { text, values } = pageSql(table, query, { order, after, plan })
  const rows = await readPage(parts, model, { text, values })
  const found = rows.filter(({ name }) => name !== null)
  const total = await totalOf(pool, { model: table, query, counted: rows[0]?.total ?? null })
  // What is beyond the bytes came without its data.
  const kept = found.slice(0, query.limit).filter(({ data }) => data !== null)
  const last = kept.at(-1)
  return {
    items: kept.map(toStoredObject),
    revision: revisionOf(rows[0]),
    ...(total && { total }),
    ...(found.length > kept.length && last && { next: encodeCursor(order.map((_, at) => last[`key_${at}`] ?? null)) }),
  }
}

/** What we know of the model may be old: an index that was not ready then may be now. */
async function readyModel({ pool, catalog }: ListParts, key: ModelKey, query: ListQuery): Promise<OpenModel> {
  const known = catalog.find(key)
  if (missingIndexes(known.table, query).length === 0) return known
  const model = await catalog.refresh(key)
  const [missing] = missingIndexes(model.table, query)
  if (missing === undefined) return model
  throw indexBuilding(model.table, missing, await readBuild(pool, model.table))
}

async function readPage(
  { pool, sequencer, catalog }: ListParts,
  { table, revised }: OpenModel,
  { text, values }: { text: string; values: unknown[] },
): Promise<PageRow[]> {
  for (;;) {
    const { rows } = await pool.query<PageRow>(text, values)
    const [first] = rows
    // What had no place yet may have been truncated away under this statement, or the place itself.
    if (!first || first.truncations_then !== first.truncations_now) continue
    // Under another edition an index that was used here may no longer be filled, or be filled with something else.
    if (Number(first.edition) !== table.edition) throw new StaleModel(table)
    if (first.revised !== revised) await catalog.refresh(table)
    if ((first.pending?.length ?? 0) <= maxSkipped) return rows
    await sequencer.nextPass(100)
  }
}

function revisionOf(row: PageRow | undefined): Revision {
  if (!row) throw new Error('a list answered no row')
  return encodeRevision({ number: Number(row.revision), tag: row.tag, skipped: row.pending ?? [] })
}

interface PageParts {
  readonly order: readonly OrderColumn[]
  readonly after: Place | undefined
  readonly plan: Plan
}

/**
 * One statement, so one snapshot: the page, its total, and where in the change log it stands, with the changes of the
 * model that it shows but that have no place yet. The left join keeps the total of a page that is past the end.
 */
function pageSql(
  model: ModelTable,
  query: ListQuery,
  { order, after, plan }: PageParts,
): { text: string; values: unknown[] } {
  const parameters = createParameters()
  const matching = matchingSql(model, query, { order, plan, parameters })
  const segments = segmentsAfter(order, after, parameters)
  const limit = parameters.add(query.limit + 1)
  const offset = query.offset ? ` OFFSET ${parameters.add(query.offset)}` : ''
  const pages = matching.from.flatMap((from) =>
    segments.map((segment) => `SELECT ${columnsOf(order)} ${from} WHERE ${[...matching.where, segment].join(' AND ')}`),
  )
  const sorted = (rows: string, first: string) => `${rows} ORDER BY ${orderBy(order)} LIMIT ${first}`
  const [only = '', ...others] = pages
  // Each range is read as far as the page could reach, and only then are they put together.
  const ranges = others.length === 0 ? [] : pages.map((rows) => sorted(rows, `${limit} + ${query.offset ?? 0}`))
  const joined = ranges.map((_, at) => `SELECT * FROM range_${at}`).join(matching.repeats ? ' UNION ' : ' UNION ALL ')
  const page = sorted(ranges.length === 0 ? only : `SELECT * FROM (${joined}) o`, `${limit}${offset}`)
  const rangeCtes = ranges.map((sql, at) => `range_${at} AS (${sql})`)
  const keys = order.map(({ column }, at) => `o.${column}::text AS key_${at}`).join(', ')
  return {
    text: `WITH ${[...matching.ctes, ...rangeCtes, `page AS MATERIALIZED (${page})`].join(',\n')}
      SELECT place.revision, place.tag, known.edition, known.revised, ${matching.count} AS total,
        (SELECT pending_of(${model.id}, ${maxSkipped + 1})) AS pending,
        truncated.count AS truncations_then, (SELECT truncations_now()) AS truncations_now,
        ${ownedColumns}, ${dataSql(query, order)} AS data, ${keys}
      FROM ${oneRow('sequencer')} place CROSS JOIN ${oneRow('log_truncations')} truncated
        JOIN models known ON known.id = ${model.id} LEFT JOIN (page JOIN ${tableOf(model)} o USING (id)) ON true
      ORDER BY ${orderBy(order)}`,
    values: parameters.values,
  }
}

/** Null for what comes behind the object that fills the page. */
function dataSql({ maxBytes }: ListQuery, order: readonly OrderColumn[]): string {
  if (maxBytes === undefined) return 'o.data'
  const bytes = `octet_length(o.data)`
  return `CASE WHEN sum(${bytes}) OVER (ORDER BY ${orderBy(order)}) - ${bytes} < ${maxBytes} THEN o.data END`
}

/** Said, because the planner expects two thousand rows of a table that was never analyzed, and compiles for millions. */
const oneRow = (table: string) => `(SELECT * FROM ${table} LIMIT 1)`

interface Matching {
  readonly ctes: readonly string[]
  /** Each with some of the rows, called `o`. */
  readonly from: readonly string[]
  /** Whether several of them may have the same row. */
  readonly repeats?: boolean
  readonly where: readonly string[]
  /** A scalar that counts what matches, or null. */
  readonly count: string
}

interface MatchingParts {
  readonly order: readonly OrderColumn[]
  readonly plan: Plan
  readonly parameters: Parameters
}

const noCount = 'null::bigint'

function matchingSql(model: ModelTable, query: ListQuery, { order, plan, parameters }: MatchingParts): Matching {
  const { where = [], total = 'bounded' } = query
  if (plan.way === 'along the index') {
    // The entries of a value come in the order asked for, so that the page is their beginning and they need no sorting.
    const ids = equalitiesOf(plan.term).map((equal) => intersection(model, [equal], parameters) ?? '')
    const from = ids.map((entries) => `FROM (${entries}) o`)
    return { ctes: [], from, repeats: true, where: [], count: countSql(model, query, parameters) }
  }
  const terms = plan.way === 'intersection' ? plan.terms : plan.way === 'candidates' ? [plan.term] : []
  const residual = where.filter((term) => !terms.includes(term)).map((term) => rowPredicate(model, term, parameters))
  const ids = intersection(model, terms, parameters)
  if (ids === undefined) {
    const isKnown = 'matches' in plan && total === 'bounded'
    const count = isKnown ? `${boundedTotal + 1}::bigint` : countSql(model, query, parameters)
    return { ctes: [], from: [`FROM ${tableOf(model)} o`], where: residual, count }
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

/** By the indexes alone where they have it all. */
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

/** Without a condition, in the order of the primary key: else the rows themselves would be read. */
function rowsSql(model: ModelTable, where: readonly Term[], parameters: Parameters): string {
  const conditions = where.map((term) => rowPredicate(model, term, parameters))
  return `SELECT o.id FROM ${tableOf(model)} o${where.length === 0 ? ' ORDER BY o.id' : whereSql(conditions)}`
}

function whereSql(where: readonly string[]): string {
  return where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
}

/** What the order needs of a row; its data is fetched for the page only. */
function columnsOf(order: readonly OrderColumn[]): string {
  return [...new Set(['id', ...order.map(({ column }) => column)])].map((column) => `o.${column}`).join(', ')
}

interface TotalParts {
  readonly model: ModelTable
  readonly query: ListQuery
  readonly counted: string | null
}

async function totalOf(pool: Pool, { model, query, counted }: TotalParts): Promise<StoredPage['total']> {
  if (counted === null) return undefined
  const count = Number(counted)
  if (query.total === 'exact' || count <= boundedTotal) return { count, isEstimate: false }
  return { count: Math.max(count, await estimate(pool, model, query.where ?? [])), isEstimate: true }
}

/** What the planner expects, from its statistics: no more than the most selective term alone. */
async function estimate(pool: Pool, model: ModelTable, terms: readonly Term[]): Promise<number> {
  const estimates: number[] = []
  for (const term of [undefined, ...terms]) {
    const parameters = createParameters()
    const sql = term === undefined ? `SELECT id FROM ${tableOf(model)}` : driver(model, term, parameters)
    if (sql === undefined) continue
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `EXPLAIN (FORMAT JSON) ${sql}`,
      parameters.values,
    )
    estimates.push(rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0)
  }
  return Math.min(...estimates)
}
