import type SqliteDatabase from 'better-sqlite3'
import { columnOf, danglingSql, references, setTableOf, tableOf } from '../model-table.ts'
import { StaleModel } from '../stale-model.ts'
import type { CountedValues, ModelKey, StoredObject } from '../store.ts'
import type { OpenModel } from './catalog.ts'
import { toStoredObject } from './object-row.ts'

/** Nothing runs in between, so this is one snapshot. */
export function getMany(
  { statements }: OpenModel,
  names: readonly string[],
  maxBytes: number,
): { readonly items: readonly StoredObject[]; readonly isPartial: boolean } {
  const items: StoredObject[] = []
  let bytes = 0
  for (const name of new Set(names.toSorted())) {
    const row = statements.byName.get(name)
    if (!row) continue
    if (bytes >= maxBytes) return { items, isPartial: true }
    items.push(toStoredObject(row))
    bytes += row.data.length
  }
  return { items, isPartial: false }
}

export function countValues(
  database: SqliteDatabase.Database,
  { table }: OpenModel,
  { index: name, values, limit }: CountedValues,
): ReadonlyMap<string, number> {
  const index = table.indexes.find((one) => one.name === name)
  if (!index) throw new StaleModel(table)
  const [rows, value] = index.multi ? [setTableOf(table, index.slot), 'value'] : [tableOf(table), columnOf(index.slot)]
  const count = database
    .prepare<[string, number], number>(`SELECT count(*) FROM (SELECT 1 FROM ${rows} WHERE ${value} = ? LIMIT ?)`)
    .pluck()
  return new Map(values.map((wanted) => [wanted, count.get(wanted, limit) ?? 0]))
}

export function countDangling(
  database: SqliteDatabase.Database,
  { table }: OpenModel,
  { index: name, targetOf }: { readonly index: string; readonly targetOf: (model: ModelKey) => OpenModel },
): number {
  const reference = references(table).find((one) => one.name === name)
  if (!reference) throw new StaleModel(table)
  const text = danglingSql(table, reference, targetOf(reference.refersTo).table)
  return database.prepare<[], number>(text).pluck().get() ?? 0
}
