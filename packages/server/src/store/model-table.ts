import type { CompositePart, IndexDeclaration, ModelDeclaration, ModelKey } from './store.ts'

/** A model's place in the database, as the catalog has it; the same shape on every engine. */
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

/** A model in one word, for maps and messages. */
export const keyOf = (model: ModelKey): string => `${model.group}/${model.plural}`

/** The indexes of a new model, numbered from 1. */
export function slotsOf({ indexes }: ModelDeclaration): readonly IndexSlot[] {
  return indexes.map(({ name, multi = false, unique = false }, at) => ({ name, multi, unique, slot: at + 1 }))
}

export function assertDeclared(table: ModelTable, declaration: ModelDeclaration): void {
  const same = describe(slotsOf(declaration)) === describe(table.indexes)
  if (same && JSON.stringify(declaration.composites ?? []) === JSON.stringify(table.composites)) return
  throw new Error(`the indexes of ${keyOf(table)} have changed; changing them on a live model is not served yet`)
}

function describe(indexes: readonly IndexSlot[]): string {
  return JSON.stringify(indexes.map(({ name, multi, unique }) => `${name} ${multi} ${unique}`).toSorted())
}
