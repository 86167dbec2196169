import {
  columnOf,
  labelTableOf,
  setTableOf,
  singles,
  tableOf,
  type IndexSlot,
  type ModelTable,
} from '../model-table.ts'
import type { CompositePart } from '../store.ts'

/** The DDL of a new model: everything is empty, so every index is ready at once. */
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
      ${singles(model)
        .map(({ slot }) => `${columnOf(slot)} TEXT,`)
        .join('\n')}
      data BLOB NOT NULL
    ) STRICT`,
    `CREATE INDEX ${table}_deleted ON ${table} (deleted_at, id) WHERE deleted_at IS NOT NULL`,
    `CREATE TABLE ${labelTableOf(model)} (key TEXT, value TEXT, id INTEGER, PRIMARY KEY (key, value, id))
      STRICT, WITHOUT ROWID`,
    ...model.indexes.map((index) => (index.multi ? setTableSql(model, index) : indexSql(model, index))),
    ...model.composites.map((parts, at) => compositeSql(model, parts, at)),
  ].join(';\n')
}

/**
 * SQLite ends every index in the id, a unique one too: it serves (key, id) in both directions, objects without a value
 * first ascending.
 */
function indexSql(model: ModelTable, { slot, unique }: IndexSlot): string {
  const table = tableOf(model)
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${table}_${slot} ON ${table} (${columnOf(slot)})`
}

function setTableSql(model: ModelTable, { slot, unique }: IndexSlot): string {
  const key = unique ? 'value' : 'value, id'
  return `CREATE TABLE ${setTableOf(model, slot)} (value TEXT, id INTEGER NOT NULL, PRIMARY KEY (${key}))
    STRICT, WITHOUT ROWID`
}

/** The id in the direction of the last part, as in every order. */
function compositeSql(model: ModelTable, parts: readonly CompositePart[], at: number): string {
  const columns = parts.map((part) => {
    const slot = model.indexes.find(({ name }) => name === part.index)?.slot ?? 0
    return `${columnOf(slot)} ${direction(part)}`
  })
  const id = `id ${direction(parts.at(-1))}`
  return `CREATE INDEX ${tableOf(model)}_c${at + 1} ON ${tableOf(model)} (${[...columns, id].join(', ')})`
}

function direction(part: CompositePart | undefined): string {
  return part?.descending ? 'DESC' : 'ASC'
}
