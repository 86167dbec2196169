import { multis, singles, type ModelTable } from './model-table.ts'
import type { IndexedValues } from './store.ts'

/** The sets of an object by slot, sorted and without repeats, so that equal sets are equal texts; none for an empty one. */
export function setsBySlot(
  model: ModelTable,
  sets: IndexedValues['multi'],
): Readonly<Record<number, readonly string[]>> {
  const entries = multis(model).map(({ name, slot }) => [slot, [...new Set(sets[name] ?? [])].toSorted()] as const)
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0))
}

/** Labels, sets by slot and single-value keys by slot, as a change holds them. */
export interface SlottedValues {
  readonly labels: Readonly<Record<string, string>>
  readonly sets: Readonly<Record<number, readonly string[]>>
  readonly keys: readonly (string | null)[]
}

export function indexedFrom(model: ModelTable, { labels, sets, keys }: SlottedValues): IndexedValues {
  return {
    labels,
    single: Object.fromEntries(singles(model).map(({ name, slot }) => [name, keys[slot - 1] ?? undefined])),
    multi: Object.fromEntries(multis(model).map(({ name, slot }) => [name, sets[slot] ?? []])),
  }
}
