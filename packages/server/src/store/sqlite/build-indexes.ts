import { setImmediate as nextTurn } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import { setsBySlot } from '../indexed-values.ts'
import { DuplicateValues, maxDuplicatePairs, type DuplicatePair } from '../index-build.ts'
import { columnOf, isSettled, keyOf, setTableOf, tableOf, type IndexSlot, type ModelTable } from '../model-table.ts'
import { StaleModel } from '../stale-model.ts'
import type { BuildOptions, IndexBuild, IndexedValues, ModelKey } from '../store.ts'
import { settled } from '../table-change.ts'
import type { Catalog } from './catalog.ts'
import { toStoredObject, type ObjectRow } from './object-row.ts'
import { compositeSql, orderSql } from './table-sql.ts'

/** Objects filled per turn of the event loop: about 10 ms. */
const chunk = 500

export interface IndexBuilder {
  build(model: ModelKey, options: BuildOptions): Promise<void>
  progress(model: ModelKey): IndexBuild | undefined
}

interface Progress {
  readonly total: number
  readonly done: number
  readonly perSecond: number
}

/** The rows themselves show what is left to fill, so nothing needs to be stored for a crash. */
export function createIndexFiller(database: SqliteDatabase.Database, catalog: Catalog): IndexBuilder {
  const running = new Map<string, Promise<void>>()
  const known = new Map<string, Progress>()
  const build = async (model: ModelKey, options: BuildOptions) => {
    const { table } = catalog.find(model)
    if (isSettled(table)) return
    if (options.edition !== undefined && options.edition !== table.edition) throw new StaleModel(model)
    const onProgress = (progress: Progress) => known.set(keyOf(model), progress)
    await fill({ database, catalog, onProgress }, table, options)
    orderAll(database, catalog, table)
  }
  return {
    build: (model, options) => {
      const key = keyOf(model)
      // The previous build may follow an older declaration and end without the indexes of this one.
      const before = running.get(key)?.catch(() => {}) ?? Promise.resolve()
      const begun = before
        .then(() => build(model, options))
        .finally(() => {
          if (running.get(key) !== begun) return
          running.delete(key)
          known.delete(key)
        })
      running.set(key, begun)
      return begun
    },
    progress: (model) => {
      const indexes = catalog
        .find(model)
        .table.indexes.filter(({ ready }) => !ready)
        .map(({ name }) => name)
      if (indexes.length === 0) return undefined
      const progress = known.get(keyOf(model))
      if (!progress) return { indexes, phase: 'waiting', done: 0, total: 0, perSecond: 0 }
      const { total, done, perSecond } = progress
      const remainingMs = perSecond > 0 ? Math.round(((total - done) / perSecond) * 1000) : undefined
      return { indexes, phase: 'filling', ...progress, ...(remainingMs !== undefined && { remainingMs }) }
    },
  }
}

interface FillParts {
  readonly database: SqliteDatabase.Database
  readonly catalog: Catalog
  readonly onProgress: (progress: Progress) => void
}

async function fill(
  { database, catalog, onProgress }: FillParts,
  table: ModelTable,
  options: BuildOptions,
): Promise<void> {
  const { evaluate, signal } = options
  const objects = tableOf(table)
  const select = database.prepare<[number], ObjectRow>(
    `SELECT * FROM ${objects} WHERE id > ? AND index_generation < ${table.generation} ORDER BY id LIMIT ${chunk}`,
  )
  const put = createPut(database, table)
  const counts = database
    .prepare<[], { total: number; left: number }>(
      `SELECT count(*) AS total, count(*) FILTER (WHERE index_generation < ${table.generation}) AS left FROM ${objects}`,
    )
    .get()
  const { total = 0, left = 0 } = counts ?? {}
  let done = total - left
  onProgress({ total, done, perSecond: 0 })
  for (let from = 0; ;) {
    signal?.throwIfAborted()
    const began = performance.now()
    const rows = select.all(from)
    const last = rows.at(-1)
    if (!last && from === 0) return
    const values = last ? await evaluate(rows.map(toStoredObject)) : []
    if (catalog.find(table).table.edition !== table.edition) throw new StaleModel(table)
    put(rows, values)
    done += rows.length
    onProgress({ total, done, perSecond: (rows.length / (performance.now() - began)) * 1000 })
    // An object that changed between reading and filling is filled by its writer; another pass finds the rest.
    from = last?.id ?? 0
    await nextTurn()
  }
}

type Put = (rows: readonly ObjectRow[], values: readonly IndexedValues[]) => void

function createPut(database: SqliteDatabase.Database, table: ModelTable): Put {
  const added = { indexes: table.indexes.filter(({ ready }) => !ready), columns: table.columns }
  const keys = added.indexes.filter(({ multi }) => !multi)
  const sets = added.indexes
    .filter(({ multi }) => multi)
    .map(({ slot }) => {
      const insert = `INSERT OR IGNORE INTO ${setTableOf(table, slot)} (value, id) VALUES (?, ?)`
      return { slot, insert: database.prepare<[string, number]>(insert) }
    })
  const columns = keys.map(({ slot }) => `, ${columnOf(slot)} = ?`).join('')
  const update = database.prepare(
    `UPDATE ${tableOf(table)} SET index_generation = ${table.generation}, sets = json_patch(sets, ?)${columns}
     WHERE id = ? AND version = ? AND index_generation < ${table.generation}`,
  )
  return database.transaction((rows: readonly ObjectRow[], values: readonly IndexedValues[]) => {
    for (const [at, { id, version }] of rows.entries()) {
      const indexed = values[at]
      if (!indexed) throw new Error(`the evaluation of ${rows.length} objects answered ${values.length}`)
      const bySlot = setsBySlot(added, indexed.multi)
      const singles = keys.map(({ name }) => indexed.single[name] ?? null)
      if (update.run(JSON.stringify(bySlot), ...singles, id, version).changes === 0) continue
      for (const { slot, insert } of sets) for (const value of bySlot[slot] ?? []) insert.run(value, id)
    }
  })
}

/** Blocks the process for about a second per million objects. */
function orderAll(database: SqliteDatabase.Database, catalog: Catalog, { edition, ...model }: ModelTable): void {
  const { table } = catalog.find(model)
  if (table.edition !== edition) throw new StaleModel(table)
  for (const index of table.indexes.filter(({ ready }) => !ready)) {
    try {
      for (const sql of orderSql(table, index)) database.exec(sql.replace(' INDEX ', ' INDEX IF NOT EXISTS '))
    } catch (error) {
      if (!(error instanceof SqliteDatabase.SqliteError) || error.code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error
      throw new DuplicateValues(index.name, findDuplicates(database, table, index))
    }
  }
  for (const composite of table.composites.filter(({ ready }) => !ready)) {
    database.exec(compositeSql(table, composite).replace(' INDEX ', ' INDEX IF NOT EXISTS '))
  }
  catalog.save(settled(table))
}

function findDuplicates(
  database: SqliteDatabase.Database,
  table: ModelTable,
  { slot, multi }: IndexSlot,
): readonly DuplicatePair[] {
  const objects = tableOf(table)
  const holders = multi
    ? `SELECT s.value, o.name, o.id FROM ${setTableOf(table, slot)} s JOIN ${objects} o USING (id)`
    : `SELECT ${columnOf(slot)} AS value, name, id FROM ${objects} WHERE ${columnOf(slot)} IS NOT NULL`
  return database
    .prepare<[], DuplicatePair>(
      `SELECT value, max(name) FILTER (WHERE place = 1) AS first, max(name) FILTER (WHERE place = 2) AS second
       FROM (SELECT value, name, row_number() OVER (PARTITION BY value ORDER BY id) AS place FROM (${holders}))
       GROUP BY value HAVING count(*) > 1 ORDER BY value LIMIT ${maxDuplicatePairs}`,
    )
    .all()
}
