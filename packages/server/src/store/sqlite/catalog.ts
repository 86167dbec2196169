import type SqliteDatabase from 'better-sqlite3'
import type { ModelDeclaration, ModelKey } from '../store.ts'
import { assertDeclared, keyOf, slotsOf, type ModelTable } from '../model-table.ts'
import { createTableSql } from './table-sql.ts'
import { prepareStatements, type ModelStatements } from './statements.ts'

/** A model that is open: where it lives, and its statements. */
export interface OpenModel {
  readonly table: ModelTable
  readonly statements: ModelStatements
}

/** Which models there are and where they live: the `models` table, which only this process writes. */
export interface Catalog {
  open(declaration: ModelDeclaration): void
  /** Throws for a model that was not opened: that is a mistake in the program. */
  find(model: ModelKey): OpenModel
  /** Open or not. */
  byId(id: number): ModelTable
}

interface ModelRow {
  readonly id: number
  readonly group_name: string
  readonly plural: string
  readonly generation: number
  readonly indexes: string
  readonly composites: string
}

export function createCatalog(database: SqliteDatabase.Database): Catalog {
  const tables = new Map(readTables(database).map((table) => [table.id, table]))
  const open = new Map<string, OpenModel>()
  const createTable = database.transaction((declaration: ModelDeclaration) => insertTable(database, declaration))
  return {
    open: (declaration) => {
      const key = keyOf(declaration)
      const table = [...tables.values()].find((known) => keyOf(known) === key) ?? createTable.immediate(declaration)
      assertDeclared(table, declaration)
      tables.set(table.id, table)
      if (!open.has(key)) open.set(key, { table, statements: prepareStatements(database, table) })
    },
    find: (model) => {
      const found = open.get(keyOf(model))
      if (!found) throw new Error(`the model ${keyOf(model)} is not open`)
      return found
    },
    byId: (id) => {
      const table = tables.get(id)
      if (!table) throw new Error(`there is no model ${id} in the catalog`)
      return table
    },
  }
}

function readTables(database: SqliteDatabase.Database): readonly ModelTable[] {
  const rows = database.prepare<[], ModelRow>('SELECT * FROM models').all()
  return rows.map(({ id, group_name, plural, generation, indexes, composites }) => ({
    id,
    group: group_name,
    plural,
    generation,
    indexes: JSON.parse(indexes) as ModelTable['indexes'],
    composites: JSON.parse(composites) as ModelTable['composites'],
  }))
}

function insertTable(database: SqliteDatabase.Database, declaration: ModelDeclaration): ModelTable {
  const { group, plural, composites = [] } = declaration
  const slots = slotsOf(declaration)
  const { lastInsertRowid } = database
    .prepare('INSERT INTO models (group_name, plural, generation, indexes, composites) VALUES (?, ?, 1, ?, ?)')
    .run(group, plural, JSON.stringify(slots), JSON.stringify(composites))
  const table: ModelTable = { group, plural, id: Number(lastInsertRowid), generation: 1, indexes: slots, composites }
  database.exec(createTableSql(table))
  return table
}
