import { keyOf, references, type Composite, type Discarded, type IndexSlot, type ModelTable } from './model-table.ts'
import { StaleModel } from './stale-model.ts'
import {
  nextIndexName,
  type CompositePart,
  type IndexDeclaration,
  type ModelDeclaration,
  type ModelKey,
} from './store.ts'

/** A new model. Its tables are empty, so every index is ready at once. */
export function newTable(declaration: ModelDeclaration, id: number): ModelTable {
  const { group, plural, edition = 0 } = declaration
  const nothing = { indexes: [], composites: [], columns: [], discarded: [], lastSlot: 0 }
  const table = nextTable({ group, plural, id, edition, generation: 0, ...nothing }, declaration)
  return settled(table)
}

/**
 * The table that the declaration requires; undefined when nothing changes. Throws `StaleModel` for an older declaration, and
 * for a different one of the same edition, which is a programming error.
 */
export function changedTable(table: ModelTable, declaration: ModelDeclaration): ModelTable | undefined {
  const { edition = 0 } = declaration
  if (edition < table.edition) throw new StaleModel(table)
  const next = nextTable(table, declaration)
  const same = sameIndexes(table, next)
  if (edition === table.edition) {
    if (same && sameTargets(table, next)) return undefined
    throw new Error(`the indexes of ${keyOf(table)} have changed, but not the edition ${edition} of its declaration`)
  }
  return same ? { ...table, indexes: next.indexes, edition } : { ...next, edition }
}

/** The table with all indexes ready, for an empty table. */
export function settled(table: ModelTable): ModelTable {
  return {
    ...table,
    indexes: table.indexes.map((index) => ({ ...index, ready: true })),
    composites: table.composites.map((composite) => ({ ...composite, ready: true })),
  }
}

export function unknownTarget(model: ModelKey, target: ModelKey): Error {
  return new Error(`${keyOf(model)} refers to ${keyOf(target)}, which is not open`)
}

/** A closed model refers to nothing. */
export function withoutTargets(table: ModelTable): ModelTable {
  return { ...table, indexes: table.indexes.map((index) => withTarget(index, { name: index.name })) }
}

function nextTable(table: ModelTable, { indexes, composites = [] }: ModelDeclaration): ModelTable {
  const slots = createSlots(table)
  const declared = indexes.map((index) =>
    withTarget(
      keptIndex(table, index) ?? { ...flagsOf(index), slot: slots.take(index.multi ?? false), ready: false },
      index,
    ),
  )
  const combined = composites.map((parts) => {
    const kept = table.composites.find((known) => sameComposite({ table, parts: known.parts }, { declared, parts }))
    return kept ?? { slot: slots.next(), parts, ready: false }
  })
  return {
    ...table,
    generation: table.generation + 1,
    indexes: declared,
    composites: combined,
    discarded: [...table.discarded, ...discardedBy(table, { declared, combined })],
    columns: slots.columns(),
    lastSlot: slots.last(),
  }
}

function withTarget(index: IndexSlot, { refersTo }: IndexDeclaration): IndexSlot {
  const { refersTo: _, ...slot } = index
  return refersTo ? { ...slot, refersTo: { group: refersTo.group, plural: refersTo.plural } } : slot
}

function flagsOf(declared: IndexDeclaration): Required<Omit<IndexDeclaration, 'refersTo'>> {
  const { name, multi = false, unique = false, form = '' } = declared
  return { name, multi, unique, form }
}

/** An index built ahead replaces the index that had its name. */
function keptIndex({ indexes }: ModelTable, declared: IndexDeclaration): IndexSlot | undefined {
  const wanted = flagsOf(declared)
  const find = (called: string) =>
    indexes.find((known) => {
      const { name, multi, unique, form } = flagsOf(known)
      return name === called && multi === wanted.multi && unique === wanted.unique && form === wanted.form
    })
  const ahead = find(nextIndexName(wanted.name))
  return find(wanted.name) ?? (ahead && { ...ahead, name: wanted.name })
}

interface Slots {
  /** Assigns a slot for an index. */
  take(multi: boolean): number
  next(): number
  columns(): readonly number[]
  last(): number
}

/**
 * A column is reused once nothing of its former index is left. The slot of a set is never reused: rows still hold the former
 * values in their copy, and additions to a set are found by comparing with that copy.
 */
function createSlots({ columns, indexes, discarded, lastSlot }: ModelTable): Slots {
  const taken = new Set([...indexes, ...discarded].map(({ slot }) => slot))
  const free = columns.filter((slot) => !taken.has(slot))
  const added: number[] = []
  let last = lastSlot
  const next = () => ++last
  return {
    next,
    take: (multi) => {
      const again = multi ? undefined : free.shift()
      if (again !== undefined) return again
      const slot = next()
      if (!multi) added.push(slot)
      return slot
    },
    columns: () => [...columns, ...added],
    last: () => last,
  }
}

/** The same parts on the same columns. */
function sameComposite(
  known: { readonly table: ModelTable; readonly parts: readonly CompositePart[] },
  wanted: { readonly declared: readonly IndexSlot[]; readonly parts: readonly CompositePart[] },
): boolean {
  return columnsOf(known.table.indexes, known.parts) === columnsOf(wanted.declared, wanted.parts)
}

function columnsOf(indexes: readonly IndexSlot[], parts: readonly CompositePart[]): string {
  const slotOf = (index: string) => indexes.find(({ name }) => name === index)?.slot
  return parts.map(({ index, descending = false }) => `${slotOf(index)} ${descending}`).join(', ')
}

function discardedBy(
  table: ModelTable,
  { declared, combined }: { readonly declared: readonly IndexSlot[]; readonly combined: readonly Composite[] },
): readonly Discarded[] {
  const kept = new Set([...declared, ...combined].map(({ slot }) => slot))
  const gone = <T extends { readonly slot: number }>(slots: readonly T[]) => slots.filter(({ slot }) => !kept.has(slot))
  return [
    ...gone(table.indexes).map(({ slot, multi, unique }): Discarded => {
      return { slot, kind: multi ? 'set' : unique ? 'unique' : 'single' }
    }),
    ...gone(table.composites).map(({ slot }): Discarded => ({ slot, kind: 'composite' })),
  ]
}

function sameIndexes(table: ModelTable, next: ModelTable): boolean {
  return slotsOf(table) === slotsOf(next)
}

function sameTargets(table: ModelTable, next: ModelTable): boolean {
  return targetsBySlot(table) === targetsBySlot(next)
}

function targetsBySlot(table: ModelTable): string {
  return references(table)
    .map(({ slot, refersTo }) => `${slot} ${keyOf(refersTo)}`)
    .toSorted()
    .join(', ')
}

function slotsOf({ indexes, composites }: ModelTable): string {
  return [...indexes.map(({ slot, name }) => `${slot} ${name}`), ...composites.map(({ slot }) => String(slot))]
    .toSorted()
    .join(', ')
}
