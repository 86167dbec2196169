import type SqliteDatabase from 'better-sqlite3'
import { usableNumber, missing, type Migration, type SchemaVersion } from '../schema-version.ts'
import { pluginLines } from '../host-tables.ts'
import { initialTables } from './initial-tables.ts'

/** Append-only. The first creates all tables of schema 6, the oldest that can be upgraded. */
export const migrations: readonly Migration[] = [
  { number: 6, lowestReader: 6, sql: initialTables },
  {
    number: 7,
    lowestReader: 6,
    sql: 'ALTER TABLE leases ADD COLUMN replica TEXT; ALTER TABLE leases ADD COLUMN about TEXT',
  },
  { number: 8, lowestReader: 6, sql: `CREATE TABLE plugin_lines ${pluginLines}` },
]

const history =
  'CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, lowest_reader INTEGER NOT NULL) STRICT'

/** Throws `UnusableSchema` before anything is changed. */
export function migrate(database: SqliteDatabase.Database, known: readonly Migration[] = migrations): void {
  const run = database.transaction(() => {
    const needed = missing(usableNumber(readSchema(database), known), known)
    database.exec(history)
    const record = database.prepare<[number, number]>('INSERT INTO schema_migrations VALUES (?, ?)')
    for (const { number, lowestReader, sql } of needed) {
      database.exec(sql)
      record.run(number, lowestReader)
      database.pragma(`user_version = ${number}`)
    }
  })
  run.immediate()
}

/** The file's `user_version` is the number of its newest migration; one that is not recorded is for servers that know it. */
export function readSchema(database: SqliteDatabase.Database): SchemaVersion {
  const number = Number(database.pragma('user_version', { simple: true }))
  const hasHistory =
    database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").get() !== undefined
  if (!hasHistory) return { number, lowestReader: number }
  const recorded = database
    .prepare<[], { readonly newest: number | null; readonly reader: number | null }>(
      'SELECT max(number) AS newest, max(lowest_reader) AS reader FROM schema_migrations',
    )
    .get()
  return { number, lowestReader: recorded?.newest === number ? (recorded.reader ?? number) : number }
}
