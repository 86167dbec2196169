import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { setsBySlot } from '../indexed-values.ts'
import { columnOf, multis, setTableOf, singles, tableOf, type IndexSlot, type ModelTable } from '../model-table.ts'
import type { BuildOptions, IndexedValues, Lease } from '../store.ts'
import { readProgress, saveProgress, type BuildProgress } from './build-progress.ts'
import { holdFence } from './leases.ts'
import { objectColumns, toStoredObject, type ObjectRow } from './object-row.ts'
import { inTransaction } from './transaction.ts'
import { currentEdition } from './statement-form.ts'

/** Objects read, and evaluated, at a time: some 10 ms of this process. */
const chunk = 500
/**
 * Neighbours in the table are filled in different transactions. A page has room for one or two new versions of its
 * objects; the next transaction finds the room of the last one free again, so that nothing moves and no other index of the
 * table is touched.
 */
const stripes = 10
/** Between two looks at objects that somebody holds. */
const retryMs = 20

export interface FillParts extends BuildOptions {
  readonly pool: Pool
  readonly lease: Lease
}

/**
 * Gives every object written before the new indexes were declared its entries in them; objects written since have them.
 * Answers the progress as it is then.
 */
export async function fillIndexes(parts: FillParts, table: ModelTable): Promise<BuildProgress> {
  const { pool, signal } = parts
  const added = table.indexes.filter(({ ready }) => !ready)
  let progress = (await readProgress(pool, table)) ?? (await begin(pool, table))
  if (added.length === 0) return progress
  for (let from = progress.reached; ;) {
    signal?.throwIfAborted()
    const began = performance.now()
    const rows = await readWindow(parts, table, from)
    const last = rows.at(-1)
    if (!last && from === '0') return progress
    if (!last) {
      // Somebody held an object, or changed it between reading and filling: another pass finds it.
      from = '0'
      continue
    }
    const filled = await fillWindow(parts, { table, added }, rows)
    if (filled === 0) await sleep(retryMs)
    from = last.id
    const perSecond = (filled / (performance.now() - began)) * 1000
    progress = { ...progress, done: Math.min(progress.total, progress.done + filled), perSecond, reached: from }
    await saveProgress(pool, table, progress)
  }
}

async function begin(pool: Pool, table: ModelTable): Promise<BuildProgress> {
  const { rows } = await pool.query<{ total: string }>(
    `SELECT count(*) AS total FROM ${tableOf(table)} WHERE index_generation < ${table.generation}`,
  )
  const total = Number(rows[0]?.total ?? 0)
  const progress: BuildProgress = { phase: 'filling', done: 0, total, perSecond: 0, reached: '0' }
  await saveProgress(pool, table, progress)
  return progress
}

interface EvaluatedRow {
  readonly id: string
  readonly version: string
  readonly indexed: IndexedValues
}

async function readWindow(
  { pool, evaluate }: FillParts,
  table: ModelTable,
  from: string,
): Promise<readonly EvaluatedRow[]> {
  const found: EvaluatedRow[] = []
  for (let after = from; found.length < chunk * stripes;) {
    const { rows } = await pool.query<ObjectRow & { id: string }>(
      `SELECT o.id, ${objectColumns} FROM ${tableOf(table)} o
       WHERE o.id > $1 AND o.index_generation < ${table.generation} ORDER BY o.id LIMIT ${chunk}`,
      [after],
    )
    const indexed = await evaluate(rows.map(toStoredObject))
    for (const [at, { id, version }] of rows.entries()) {
      const values = indexed[at]
      if (!values) throw new Error(`the evaluation of ${rows.length} objects answered ${indexed.length}`)
      found.push({ id, version, indexed: values })
    }
    const last = rows.at(-1)
    if (!last || rows.length < chunk) break
    after = last.id
  }
  return found
}

interface Filling {
  readonly table: ModelTable
  readonly added: readonly IndexSlot[]
}

/** Answers how many objects were filled. */
async function fillWindow(
  { pool, lease }: FillParts,
  filling: Filling,
  rows: readonly EvaluatedRow[],
): Promise<number> {
  const text = fillSql(filling)
  let filled = 0
  for (let stripe = 0; stripe < stripes; stripe++) {
    const part = rows.filter((_, at) => at % stripes === stripe)
    if (part.length === 0) break
    const began = performance.now()
    filled += await inTransaction(pool, async (client) => {
      // Lost in a crash it is done again; a later commit that must last takes it along.
      await client.query('SET LOCAL synchronous_commit = off')
      await holdFence(client, lease)
      const { rows: counted } = await client.query<{ filled: number }>({
        name: `fill ${filling.table.id}.${filling.table.edition}`,
        text,
        values: fillValues(filling, part),
      })
      return counted[0]?.filled ?? 0
    })
    // As long as it worked, so that writers have the database to themselves half of the time.
    await sleep(performance.now() - began)
  }
  return filled
}

/**
 * A writer that holds an object is not waited for: it fills the object itself, or another pass does. So this can be in no
 * circle of waiting.
 */
function fillSql({ table, added }: Filling): string {
  const keys = added.filter(({ multi }) => !multi).map(({ slot }) => columnOf(slot))
  const sets = added.filter(({ multi }) => multi)
  const names = ['id', 'version', ...(sets.length > 0 ? ['sets'] : []), ...keys]
  const types = ['bigint', 'bigint', ...(sets.length > 0 ? ['jsonb'] : []), ...keys.map(() => 'text')]
  const input = `unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')}) AS i (${names.join(', ')})`
  const setEntries = sets.map(
    ({ slot }) => `,
  set_${slot} AS (
    INSERT INTO ${setTableOf(table, slot)} (value, id)
    SELECT v.value, f.id FROM filled f, jsonb_array_elements_text(f.sets -> '${slot}') v (value)
  )`,
  )
  return `
  WITH free AS MATERIALIZED (
    SELECT i.* FROM ${input} JOIN ${tableOf(table)} m ON m.id = i.id
    WHERE m.version = i.version AND m.index_generation < ${table.generation} AND ${currentEdition(table)}
    FOR UPDATE OF m SKIP LOCKED
  ),
  filled AS (
    UPDATE ${tableOf(table)} m SET index_generation = ${table.generation}
      ${keys.map((key) => `, ${key} = f.${key}`).join('')}${sets.length > 0 ? ', sets = m.sets || f.sets' : ''}
    FROM free f WHERE m.id = f.id RETURNING m.id, m.sets
  )${setEntries.join('')}
  SELECT count(*)::int AS filled FROM filled`
}

function fillValues({ table, added }: Filling, rows: readonly EvaluatedRow[]): unknown[] {
  const layout = { indexes: added, columns: table.columns }
  const sets =
    multis(layout).length > 0 ? [rows.map(({ indexed }) => JSON.stringify(setsBySlot(layout, indexed.multi)))] : []
  const keys = singles(layout).map(({ name }) => rows.map(({ indexed }) => indexed.single[name] ?? null))
  return [rows.map(({ id }) => id), rows.map(({ version }) => version), ...sets, ...keys]
}
