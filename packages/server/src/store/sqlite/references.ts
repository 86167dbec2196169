import type SqliteDatabase from 'better-sqlite3'
import { indexBuilding } from '../index-build.ts'
import { columnOf, keyOf, references, setTableOf, tableOf, type ModelTable, type Reference } from '../model-table.ts'
import { unknownTarget } from '../table-change.ts'
import type { WriteOperation } from '../store.ts'
import { WriteConflict } from '../write-conflict.ts'
import type { ObjectRow } from './object-row.ts'

/** The checks of references. SQLite has one writer: a check inside its transaction holds until it commits. */
export interface ReferenceChecks {
  /** Throws if the row has a value, which it had not before, that names no live object. */
  assertTargets(
    operation: WriteOperation,
    rows: { readonly before?: ObjectRow | undefined; readonly after: ObjectRow },
  ): void
  /** Throws if the name of the row is a value of another row. */
  assertUnreferred(operation: WriteOperation, row: ObjectRow): void
}

export interface ReferenceParts {
  readonly database: SqliteDatabase.Database
  readonly table: ModelTable
  /** All models. */
  readonly tables: ReadonlyMap<string, ModelTable>
}

export function createReferenceChecks({ database, table, tables }: ReferenceParts): ReferenceChecks {
  const targets = references(table).map((index) => {
    const target = tables.get(keyOf(index.refersTo))
    if (!target) throw unknownTarget(table, index.refersTo)
    const sql = `SELECT 1 FROM ${tableOf(target)} WHERE name = ? AND deleted_at IS NULL`
    return { index, live: database.prepare<[string]>(sql), isOwn: target.id === table.id }
  })
  const referrers = [...tables.values()].flatMap((from) =>
    references(from)
      .filter(({ refersTo }) => keyOf(refersTo) === keyOf(table))
      .map((index) => ({ from, index, named: database.prepare<[string, number]>(namedSql(from, index)) })),
  )
  return {
    assertTargets: (operation, { before, after }) => {
      for (const { index, live, isOwn } of targets) {
        const known = new Set(before && valuesOf(index, before))
        const added = valuesOf(index, after).filter((name) => !known.has(name) && !(isOwn && name === after.name))
        const missing = added.find((name) => live.get(name) === undefined)
        if (missing === undefined) continue
        throw new WriteConflict('target', operation, { target: { index: index.name, name: missing } })
      }
    },
    assertUnreferred: (operation, { name, id }) => {
      for (const { from, index, named } of referrers) {
        if (!index.ready) throw indexBuilding(from.plural, index.name, undefined)
        if (named.get(name, from.id === table.id ? id : -1) !== undefined)
          throw new WriteConflict('referred', operation)
      }
    },
  }
}

/** Rows that have the name as a value, except the row with the id. */
function namedSql(from: ModelTable, { slot, multi }: Reference): string {
  return multi
    ? `SELECT 1 FROM ${setTableOf(from, slot)} WHERE value = ? AND id <> ? LIMIT 1`
    : `SELECT 1 FROM ${tableOf(from)} WHERE ${columnOf(slot)} = ? AND id <> ? LIMIT 1`
}

function valuesOf({ slot, multi }: Reference, row: ObjectRow): readonly string[] {
  if (multi) return (JSON.parse(row.sets) as Readonly<Record<number, readonly string[]>>)[slot] ?? []
  const value = row[columnOf(slot)]
  return value === null || value === undefined ? [] : [value]
}
