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
  const labels = labelTableOf(model)
  return [
    // Free space in every page keeps updates that touch no index on their page (HOT): 7.8k/s against 5.1k measured.
    `CREATE TABLE ${table} (
      id bigint PRIMARY KEY,
      name text COLLATE "C" NOT NULL CONSTRAINT ${table}_name UNIQUE,
      uid uuid NOT NULL,
      version bigint NOT NULL,
      generation bigint NOT NULL,
      index_generation int NOT NULL,
      held boolean NOT NULL,
      deleted_at bigint,
      stored_as text COLLATE "C" NOT NULL,
      labels jsonb NOT NULL,
      sets jsonb NOT NULL,
      ${singles(model)
        .map(({ slot }) => `${columnOf(slot)} text COLLATE "C",`)
        .join('\n')}
      data bytea NOT NULL
    ) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
    `ALTER TABLE ${table} ALTER COLUMN data SET STORAGE EXTERNAL`,
    `CREATE INDEX ${table}_deleted ON ${table} (deleted_at, id) WHERE deleted_at IS NOT NULL`,
    `CREATE TABLE ${labels} (key text COLLATE "C", value text COLLATE "C", id bigint, PRIMARY KEY (key, value, id))`,
    `CREATE STATISTICS ${labels}_stats (mcv, dependencies) ON key, value FROM ${labels}`,
    ...model.indexes.map((index) => (index.multi ? setTableSql(model, index) : indexSql(model, index))),
    ...model.composites.map((parts, at) => compositeSql(model, parts, at)),
  ].join(';\n')
}

/**
 * One ascending B-tree serves both directions: `ASC NULLS FIRST` and, scanned backwards, `DESC NULLS LAST`. Unique values
 * need no id behind them, and the objects without one stand in an index of their own, so that a row is in one of the two.
 */
function indexSql(model: ModelTable, { slot, unique }: IndexSlot): string {
  const table = tableOf(model)
  const column = columnOf(slot)
  if (!unique) return `CREATE INDEX ${table}_${slot} ON ${table} (${column} NULLS FIRST, id)`
  return `CREATE UNIQUE INDEX ${table}_u${slot} ON ${table} (${column}) WHERE ${column} IS NOT NULL;
    CREATE INDEX ${table}_n${slot} ON ${table} (id) WHERE ${column} IS NULL`
}

function setTableSql(model: ModelTable, { slot, unique }: IndexSlot): string {
  const table = setTableOf(model, slot)
  const key = unique ? '(value)' : '(value, id)'
  return `CREATE TABLE ${table} (value text COLLATE "C", id bigint NOT NULL, CONSTRAINT ${table}_key PRIMARY KEY ${key})`
}

function compositeSql(model: ModelTable, parts: readonly CompositePart[], at: number): string {
  const columns = parts.map(({ index, descending }) => {
    const slot = model.indexes.find(({ name }) => name === index)?.slot ?? 0
    return `${columnOf(slot)} ${descending ? 'DESC NULLS LAST' : 'NULLS FIRST'}`
  })
  const id = parts.at(-1)?.descending ? 'id DESC' : 'id'
  return `CREATE INDEX ${tableOf(model)}_c${at + 1} ON ${tableOf(model)} (${[...columns, id].join(', ')})`
}
