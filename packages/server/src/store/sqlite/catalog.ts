import type SqliteDatabase from 'better-sqlite3'
import { keyOf, references, tableOf, type ModelTable, type TableLayout } from '../model-table.ts'
import { StaleModel } from '../stale-model.ts'
import type { ModelDeclaration, ModelKey } from '../store.ts'
import { changedTable, newTable, unknownTarget, withoutTargets } from '../table-change.ts'
import { createReferenceChecks, type ReferenceChecks } from './references.ts'
import { prepareStatements, type ModelStatements } from './statements.ts'
import { addSlotsSql, createTableSql, discardSql } from './table-sql.ts'

/** An open model: its tables and statements. */
export interface OpenModel {
  readonly table: ModelTable
  readonly statements: ModelStatements
  /** Depends on the declarations of other models, so it must not be kept. */
  readonly checks: ReferenceChecks
}

/** The models and their tables: the `models` table, which only this process writes. */
export interface Catalog {
  open(declaration: ModelDeclaration): void
  /** Returns false when the model has objects. */
  close(model: ModelKey): boolean
  /** Throws for a model that was not opened, which is a programming error. */
  find(model: ModelKey): OpenModel
  /** Stores the changed table of an open model; runs in the caller's transaction. */
  save(table: ModelTable): void
  /** The layout of a model in a generation, whether the model is open or not. */
  layout(id: number, generation: number): ModelKey & TableLayout
}

interface ModelRow {
  readonly id: number
  readonly group_name: string
  readonly plural: string
  readonly edition: number
  readonly generation: number
  readonly indexes: string
  readonly composites: string
  readonly columns: string
  readonly last_slot: number
}

export function createCatalog(database: SqliteDatabase.Database): Catalog {
  const tables = new Map(readTables(database).map((table) => [keyOf(table), table]))
  const open = new Map<string, OpenModel>()
  const closed = new Set<string>()
  const checks = new Map<string, ReferenceChecks>()
  const checksOf = (table: ModelTable) => {
    const found = checks.get(keyOf(table)) ?? createReferenceChecks({ database, table, tables })
    checks.set(keyOf(table), found)
    return found
  }
  const withChecks = (model: Omit<OpenModel, 'checks'>): OpenModel => ({
    ...model,
    get checks() {
      return checksOf(model.table)
    },
  })
  const layouts = new Map<string, ModelKey & TableLayout>()
  const create = database.transaction((declaration: ModelDeclaration) => createTable(database, declaration))
  const change = database.transaction((table: ModelTable, next: ModelTable) => changeTable(database, table, next))
  const keep = (table: ModelTable) => {
    tables.set(keyOf(table), table)
    closed.delete(keyOf(table))
    open.set(keyOf(table), withChecks({ table, statements: prepareStatements(database, table) }))
    checks.clear()
  }
  return {
    open: (declaration) => {
      const key = keyOf(declaration)
      for (const { refersTo: target } of declaration.indexes) {
        if (target && !tables.has(keyOf(target)) && keyOf(target) !== key) throw unknownTarget(declaration, target)
      }
      const table = tables.get(key)
      const next = table && changedTable(table, declaration)
      if (!table) keep(create.immediate(declaration))
      else if (next) keep(change.immediate(table, next))
      else if (!open.has(key)) keep(table)
    },
    close: (model) => {
      const table = tables.get(keyOf(model))
      if (!table) return true
      if (database.prepare(`SELECT 1 FROM ${tableOf(table)} LIMIT 1`).get() !== undefined) return false
      if ([...tables.values()].some((other) => other !== table && refersTo(other, table))) return false
      const next = withoutTargets({ ...table, edition: table.edition + 1 })
      writeRow(database, next)
      tables.set(keyOf(model), next)
      open.delete(keyOf(model))
      checks.clear()
      closed.add(keyOf(model))
      return true
    },
    find: (model) => {
      const found = open.get(keyOf(model))
      if (closed.has(keyOf(model))) throw new StaleModel(model)
      if (!found) throw new Error(`the model ${keyOf(model)} is not open`)
      return found
    },
    save: (table) => {
      writeRow(database, table)
      keep(table)
    },
    layout: (id, generation) => {
      const key = `${id}.${generation}`
      const layout = layouts.get(key) ?? readLayout(database, id, generation)
      layouts.set(key, layout)
      return layout
    },
  }
}

function refersTo(table: ModelTable, target: ModelKey): boolean {
  return references(table).some((index) => keyOf(index.refersTo) === keyOf(target))
}

function readTables(database: SqliteDatabase.Database): readonly ModelTable[] {
  const rows = database.prepare<[], ModelRow>('SELECT * FROM models').all()
  return rows.map(({ id, group_name, plural, edition, generation, indexes, composites, columns, last_slot }) => ({
    id,
    group: group_name,
    plural,
    edition,
    generation,
    indexes: JSON.parse(indexes) as ModelTable['indexes'],
    composites: JSON.parse(composites) as ModelTable['composites'],
    columns: JSON.parse(columns) as ModelTable['columns'],
    discarded: [],
    lastSlot: last_slot,
  }))
}

function createTable(database: SqliteDatabase.Database, declaration: ModelDeclaration): ModelTable {
  const { lastInsertRowid } = database
    .prepare(
      `INSERT INTO models (group_name, plural, edition, generation, indexes, composites, columns, last_slot)
       VALUES (?, ?, 0, 0, '', '', '', 0)`,
    )
    .run(declaration.group, declaration.plural)
  const table = newTable(declaration, Number(lastInsertRowid))
  database.exec(createTableSql(table))
  writeRow(database, table)
  writeLayout(database, table)
  return table
}

/** Drops discarded indexes immediately: no other process uses them. */
function changeTable(database: SqliteDatabase.Database, table: ModelTable, next: ModelTable): ModelTable {
  const gone = next.discarded.flatMap((discarded) => discardSql(next, discarded))
  for (const sql of [...gone, ...addSlotsSql(table, next)]) database.exec(sql)
  const clean = { ...next, discarded: [] }
  writeRow(database, clean)
  if (next.generation !== table.generation) writeLayout(database, clean)
  return clean
}

function writeRow(database: SqliteDatabase.Database, table: ModelTable): void {
  const { id, edition, generation, indexes, composites, columns, lastSlot } = table
  database
    .prepare(
      `UPDATE models SET edition = ?, generation = ?, indexes = ?, composites = ?, columns = ?, last_slot = ? WHERE id = ?`,
    )
    .run(edition, generation, ...[indexes, composites, columns].map((part) => JSON.stringify(part)), lastSlot, id)
}

function writeLayout(database: SqliteDatabase.Database, { id, generation, indexes, columns }: ModelTable): void {
  database
    .prepare('INSERT INTO model_layouts (model, generation, indexes, columns) VALUES (?, ?, ?, ?)')
    .run(id, generation, JSON.stringify(indexes), JSON.stringify(columns))
}

function readLayout(database: SqliteDatabase.Database, id: number, generation: number): ModelKey & TableLayout {
  const row = database
    .prepare<[number, number], { group_name: string; plural: string; indexes: string; columns: string }>(
      `SELECT group_name, plural, l.indexes, l.columns FROM models m JOIN model_layouts l ON l.model = m.id
       WHERE m.id = ? AND l.generation = ?`,
    )
    .get(id, generation)
  if (!row) throw new Error(`the catalog knows no generation ${generation} of ${tableOf({ id })}`)
  const { group_name, plural, indexes, columns } = row
  return { group: group_name, plural, ...(JSON.parse(`{"indexes":${indexes},"columns":${columns}}`) as TableLayout) }
}
