import type SqliteDatabase from 'better-sqlite3'
import { countersOf, counterUp } from '../records/write-counters.ts'
import { GuardFailed } from '../guard-failed.ts'
import type { SqlRow, SqlStatement } from '../sql.ts'
import type { Guard, WriteOptions } from '../store.ts'
import type { Catalog } from './catalog.ts'
import { createParameters } from './parameters.ts'
import { idsQuery } from './predicates.ts'

/** SQLite has one writer: a condition that holds inside its transaction holds until it commits. */
export function checkBefore(database: SqliteDatabase.Database, catalog: Catalog, { guards = [] }: WriteOptions): void {
  for (const guard of countersOf(guards)) {
    if (runSql(database, counterUp(guard)).length === 0) throw new GuardFailed(guard)
  }
  for (const guard of guards) {
    if (guard.is !== 'there' && guard.is !== 'target') continue
    const row = catalog.find(guard.model).statements.byName.get(guard.name)
    if (guard.is === 'target') {
      if (!row || row.deleted_at !== null) throw new GuardFailed(guard)
      continue
    }
    const { uid = row?.uid, version = row?.version } = guard.expected ?? {}
    if (!row || row.uid !== uid || row.version !== version) throw new GuardFailed(guard)
  }
}

export function finishGuarded(
  database: SqliteDatabase.Database,
  catalog: Catalog,
  { guards = [], also = [] }: WriteOptions,
): void {
  for (const statement of also) runSql(database, statement)
  for (const guard of guards) {
    if (guard.is === 'there' || guard.is === 'target' || guard.is === 'counted') continue
    const found =
      guard.is === 'no row' ? runSql(database, guard.statement).length > 0 : selects(database, catalog, guard)
    if (found) throw new GuardFailed(guard)
  }
}

/** PostgreSQL's parameters `$1` and so on become named parameters. */
export function runSql(database: SqliteDatabase.Database, { text, values }: SqlStatement): readonly SqlRow[] {
  const prepared = database.prepare<unknown[], SqlRow>(text.replaceAll(/\$(\d+)/g, '@p$1'))
  const named = values.length === 0 ? [] : [Object.fromEntries(values.map((value, at) => [`p${at + 1}`, value]))]
  if (prepared.reader) return prepared.all(...named)
  prepared.run(...named)
  return []
}

function selects(
  database: SqliteDatabase.Database,
  catalog: Catalog,
  { model, where }: Extract<Guard, { is: 'none' }>,
): boolean {
  const parameters = createParameters()
  const ids = idsQuery(catalog.find(model).table, where, parameters)
  if (ids === undefined) throw new Error('a guard needs a term that an index can answer')
  return database.prepare(`${ids} LIMIT 1`).get(parameters.values) !== undefined
}
