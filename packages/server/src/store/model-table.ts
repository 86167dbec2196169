import { boundedTotal, type CompositePart, type IndexDeclaration, type ModelKey } from './store.ts'

/** A model's tables as recorded in the catalog; the same shape on every engine. */
export interface ModelTable extends ModelKey, TableLayout {
  readonly id: number
  /** The edition of this declaration; writers that follow another edition are refused. */
  readonly edition: number
  /** Increases with every change of the indexes; every row stores the generation it was written under. */
  readonly generation: number
  readonly composites: readonly Composite[]
  /** Indexes that are no longer declared but still exist in the database. */
  readonly discarded: readonly Discarded[]
  /** The highest slot ever assigned. */
  readonly lastSlot: number
}

/** The meaning of the keys and sets of a row or a change. */
export interface TableLayout {
  readonly indexes: readonly IndexSlot[]
  /**
   * All slots that have a column, ascending, in use or not: the order of a change's keys. Columns are reused and never dropped,
   * because a database counts dropped columns towards its limit.
   */
  readonly columns: readonly number[]
}

/** An index and its slot in the model: column `ix_<slot>`, or side table `m_<model>_s<slot>` for sets. */
export interface IndexSlot extends Required<Omit<IndexDeclaration, 'refersTo'>> {
  readonly slot: number
  readonly refersTo?: ModelKey
  /** Every object has its entry, so lists may use the index. */
  readonly ready: boolean
}

/** An index that refers to a model. */
export type Reference = IndexSlot & { readonly refersTo: ModelKey }

export interface Composite {
  readonly slot: number
  readonly parts: readonly CompositePart[]
  readonly ready: boolean
}

export interface Discarded {
  readonly slot: number
  readonly kind: 'single' | 'unique' | 'set' | 'composite'
}

export type KeyColumn = `ix_${number}`

export const tableOf = (model: Pick<ModelTable, 'id'>): string => `m_${model.id}`
export const labelTableOf = (model: Pick<ModelTable, 'id'>): string => `m_${model.id}_l`
export const setTableOf = (model: Pick<ModelTable, 'id'>, slot: number): string => `m_${model.id}_s${slot}`
export const columnOf = (slot: number): KeyColumn => `ix_${slot}`

export const singles = (layout: TableLayout): readonly IndexSlot[] => layout.indexes.filter(({ multi }) => !multi)
export const multis = (layout: TableLayout): readonly IndexSlot[] => layout.indexes.filter(({ multi }) => multi)

export const references = ({ indexes }: Pick<TableLayout, 'indexes'>): readonly Reference[] =>
  indexes.filter((index): index is Reference => index.refersTo !== undefined)

/** Whether objects of the model can refer to each other. */
export const refersToItself = (table: ModelTable): boolean =>
  references(table).some(({ refersTo }) => keyOf(refersTo) === keyOf(table))

export const hasUnique = ({ indexes }: TableLayout): boolean => indexes.some(({ unique }) => unique)

/** A model as one string, for maps and messages. */
export const keyOf = (model: ModelKey): string => `${model.group}/${model.plural}`

/** Counts the values of a reference that name no row of its target. */
export function danglingSql(table: ModelTable, { slot, multi }: Reference, target: Pick<ModelTable, 'id'>): string {
  const [rows, value] = multi ? [setTableOf(table, slot), 'value'] : [tableOf(table), columnOf(slot)]
  return `SELECT count(*) FROM (
    SELECT 1 FROM ${rows} o WHERE o.${value} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${tableOf(target)} t WHERE t.name = o.${value})
    LIMIT ${boundedTotal}
  ) found`
}

/** Whether every index is ready and no discarded index is left. */
export function isSettled({ indexes, composites, discarded }: ModelTable): boolean {
  return [...indexes, ...composites].every(({ ready }) => ready) && discarded.length === 0
}
