import {
  columnOf,
  labelTableOf,
  multis,
  setTableOf,
  tableOf,
  type Composite,
  type Discarded,
  type IndexSlot,
  type ModelTable,
} from '../model-table.ts'
import type { CompositePart } from '../store.ts'

/** The DDL of a new model. The tables are empty, so every index is ready at once. */
export function createTableSql(model: ModelTable): string {
  const table = tableOf(model)
  return [
    `CREATE TABLE ${table} (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      uid TEXT NOT NULL,
      version INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      index_generation INTEGER NOT NULL,
      held INTEGER NOT NULL,
      deleted_at INTEGER,
      stored_as TEXT NOT NULL,
      labels TEXT NOT NULL,
      sets TEXT NOT NULL,
      ${model.columns.map((slot) => `${columnOf(slot)} TEXT,`).join('\n')}
      data BLOB NOT NULL
    ) STRICT`,
    `CREATE INDEX ${table}_deleted ON ${table} (deleted_at, id) WHERE deleted_at IS NOT NULL`,
    `CREATE TABLE ${labelTableOf(model)} (key TEXT, value TEXT, id INTEGER, PRIMARY KEY (key, value, id))
      STRICT, WITHOUT ROWID`,
    ...multis(model).map((index) => setTableSql(model, index)),
    ...model.indexes.flatMap((index) => orderSql(model, index)),
    ...model.composites.map((composite) => compositeSql(model, composite)),
  ].join(';\n')
}

/** Columns and side tables that `next` has and `before` has not. */
export function addSlotsSql(before: ModelTable, next: ModelTable): readonly string[] {
  const columns = next.columns.filter((slot) => !before.columns.includes(slot))
  const known = new Set(before.indexes.map(({ slot }) => slot))
  return [
    ...columns.map((slot) => `ALTER TABLE ${tableOf(next)} ADD COLUMN ${columnOf(slot)} TEXT`),
    ...multis(next)
      .filter(({ slot }) => !known.has(slot))
      .map((index) => setTableSql(next, index)),
  ]
}

/**
 * SQLite appends the id to every index, also a unique one: it serves (key, id) in both directions, with objects without a value
 * first ascending. A set's table is its own index; a unique set also needs a unique index on the values.
 */
export function orderSql(model: ModelTable, { slot, multi, unique }: IndexSlot): readonly string[] {
  const create = `CREATE ${unique ? 'UNIQUE ' : ''}INDEX`
  if (!multi) return [`${create} ${tableOf(model)}_${slot} ON ${tableOf(model)} (${columnOf(slot)})`]
  return unique ? [`${create} ${setTableOf(model, slot)}_u ON ${setTableOf(model, slot)} (value)`] : []
}

/** The id follows in the direction of the last part, as in every order. */
export function compositeSql(model: ModelTable, { slot, parts }: Composite): string {
  const columns = parts.map((part) => {
    const index = model.indexes.find(({ name }) => name === part.index)
    return `${columnOf(index?.slot ?? 0)} ${direction(part)}`
  })
  const id = `id ${direction(parts.at(-1))}`
  return `CREATE INDEX ${tableOf(model)}_c${slot} ON ${tableOf(model)} (${[...columns, id].join(', ')})`
}

/** An index that was never created is not an error. */
export function discardSql(model: ModelTable, { slot, kind }: Discarded): readonly string[] {
  switch (kind) {
    case 'set':
      return [`DROP TABLE IF EXISTS ${setTableOf(model, slot)}`]
    case 'composite':
      return [`DROP INDEX IF EXISTS ${tableOf(model)}_c${slot}`]
    default:
      return [`DROP INDEX IF EXISTS ${tableOf(model)}_${slot}`]
  }
}

function setTableSql(model: ModelTable, { slot }: IndexSlot): string {
  return `CREATE TABLE ${setTableOf(model, slot)} (value TEXT, id INTEGER, PRIMARY KEY (value, id)) STRICT, WITHOUT ROWID`
}

function direction(part: CompositePart | undefined): string {
  return part?.descending ? 'DESC' : 'ASC'
}
