import type { CompositePart, IndexDeclaration, ModelKey } from './store.ts'

/** A model's place in the database, as the catalog has it; the same shape on every engine. */
export interface ModelTable extends ModelKey, TableLayout {
  readonly id: number
  /** Of the declaration that this follows; a writer that follows another one is refused. */
  readonly edition: number
  /** Grows with every change of the indexes; every row says under which one it was written. */
  readonly generation: number
  readonly composites: readonly Composite[]
  /** What is no longer declared but still there. */
  readonly discarded: readonly Discarded[]
  /** The greatest slot ever given out. */
  readonly lastSlot: number
}

/** What the keys and sets of a row, or of a change, mean. */
export interface TableLayout {
  readonly indexes: readonly IndexSlot[]
  /**
   * The slots that have a column, ascending, in use or not: the keys of a change in their order. Columns are never dropped
   * but used again, because a database counts dropped ones towards its limit.
   */
  readonly columns: readonly number[]
}

/** An index and its number in the model: column `ix_<slot>`, or side table `m_<model>_s<slot>` for sets. */
export interface IndexSlot extends Required<IndexDeclaration> {
  readonly slot: number
  /** Every object has its entry, so that lists may use it. */
  readonly ready: boolean
}

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

/** A model in one word, for maps and messages. */
export const keyOf = (model: ModelKey): string => `${model.group}/${model.plural}`

/** Whether every index is ready and nothing is left of former ones. */
export function isSettled({ indexes, composites, discarded }: ModelTable): boolean {
  return [...indexes, ...composites].every(({ ready }) => ready) && discarded.length === 0
}
