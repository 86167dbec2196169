import type SqliteDatabase from 'better-sqlite3'
import {
  columnOf,
  labelTableOf,
  multis,
  setTableOf,
  singles,
  tableOf,
  type IndexSlot,
  type ModelTable,
} from '../model-table.ts'
import type { ObjectRow } from './object-row.ts'

/** The statements of one model, prepared once. */
export interface ModelStatements {
  readonly byName: SqliteDatabase.Statement<[string], ObjectRow>
  readonly byId: SqliteDatabase.Statement<[number], ObjectRow>
  readonly insert: SqliteDatabase.Statement<[ObjectRow]>
  readonly update: SqliteDatabase.Statement<[ObjectRow]>
  /**
   * For an object whose keys do not change: SQLite rewrites the index entry of every column that is set, even to the same
   * value.
   */
  readonly updateKeepingKeys: SqliteDatabase.Statement<[ObjectRow]>
  readonly declare: SqliteDatabase.Statement<[ObjectRow]>
  readonly remove: SqliteDatabase.Statement<[ObjectRow]>
  readonly labels: SideStatements<[key: string, value: string, id: number]>
  /** By slot. */
  readonly sets: ReadonlyMap<number, SideStatements<[value: string, id: number]>>
  readonly unique: readonly UniqueIndex[]
}

interface SideStatements<Entry extends unknown[]> {
  readonly add: SqliteDatabase.Statement<Entry>
  readonly remove: SqliteDatabase.Statement<Entry>
}

interface UniqueIndex {
  readonly index: IndexSlot
  /** The name of another object that has the value. */
  readonly holder: SqliteDatabase.Statement<[value: string, id: number], { readonly name: string }>
}

const contentColumnNames = ['index_generation', 'held', 'stored_as', 'labels', 'sets', 'data']

export function prepareStatements(database: SqliteDatabase.Database, model: ModelTable): ModelStatements {
  const table = tableOf(model)
  const keys = singles(model).map(({ slot }) => columnOf(slot))
  const columns = ['id', 'name', 'uid', 'version', 'generation', 'deleted_at', ...contentColumnNames, ...keys]
  const values = columns.map((column) => `@${column}`)
  const updateSql = (changing: readonly string[]) =>
    `UPDATE ${table} SET ${changing.map((column) => `${column} = @${column}`).join(', ')} WHERE id = @id`
  const content = ['version', 'generation', ...contentColumnNames]
  const sets = multis(model).map(({ slot }) => {
    return [slot, sideStatements<[string, number]>(database, setTableOf(model, slot), ['value', 'id'])] as const
  })
  return {
    byName: database.prepare(`SELECT * FROM ${table} WHERE name = ?`),
    byId: database.prepare(`SELECT * FROM ${table} WHERE id = ?`),
    insert: database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`),
    update: database.prepare(updateSql([...content, ...keys])),
    updateKeepingKeys: database.prepare(updateSql(content)),
    declare: database.prepare(updateSql(['version', 'deleted_at'])),
    remove: database.prepare(`DELETE FROM ${table} WHERE id = @id`),
    labels: sideStatements(database, labelTableOf(model), ['key', 'value', 'id']),
    sets: new Map(sets),
    unique: model.indexes.filter(({ unique }) => unique).map((index) => uniqueIndex(database, model, index)),
  }
}

function sideStatements<Entry extends unknown[]>(
  database: SqliteDatabase.Database,
  table: string,
  columns: readonly string[],
): SideStatements<Entry> {
  const add = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  const remove = `DELETE FROM ${table} WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')}`
  return { add: database.prepare<Entry>(add), remove: database.prepare<Entry>(remove) }
}

function uniqueIndex(database: SqliteDatabase.Database, model: ModelTable, index: IndexSlot): UniqueIndex {
  const table = tableOf(model)
  const sql = index.multi
    ? `SELECT o.name FROM ${setTableOf(model, index.slot)} s JOIN ${table} o USING (id) WHERE s.value = ? AND s.id <> ?`
    : `SELECT name FROM ${table} WHERE ${columnOf(index.slot)} = ? AND id <> ?`
  return { index, holder: database.prepare(sql) }
}
