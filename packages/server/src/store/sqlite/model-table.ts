import type { CompositePart, IndexDeclaration, ModelKey } from '../store.ts'

/** A model's place in the database, as the catalog has it. */
export interface ModelTable extends ModelKey {
  readonly id: number
  /** Grows with every change of the indexes; every row says under which one it was written. */
  readonly generation: number
  readonly indexes: readonly IndexSlot[]
  readonly composites: readonly (readonly CompositePart[])[]
}

/** An index and its number in the model: column `ix_<slot>`, or side table `m_<model>_s<slot>` for sets. */
export interface IndexSlot extends Required<IndexDeclaration> {
  readonly slot: number
}

export type KeyColumn = `ix_${number}`

export const tableOf = (model: Pick<ModelTable, 'id'>): string => `m_${model.id}`
export const labelTableOf = (model: Pick<ModelTable, 'id'>): string => `m_${model.id}_l`
export const setTableOf = (model: Pick<ModelTable, 'id'>, slot: number): string => `m_${model.id}_s${slot}`
export const columnOf = (slot: number): KeyColumn => `ix_${slot}`

export const singles = (model: ModelTable): readonly IndexSlot[] => model.indexes.filter(({ multi }) => !multi)
export const multis = (model: ModelTable): readonly IndexSlot[] => model.indexes.filter(({ multi }) => multi)

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
