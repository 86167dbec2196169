import { multis, singles, type TableLayout } from './model-table.ts'
import type { IndexedValues } from './store.ts'

/** The sets of an object by slot, sorted and without repeats, so that equal sets are equal texts; none for an empty one. */
export function setsBySlot(
  layout: TableLayout,
  sets: IndexedValues['multi'],
): Readonly<Record<number, readonly string[]>> {
  const entries = multis(layout).map(({ name, slot }) => [slot, [...new Set(sets[name] ?? [])].toSorted()] as const)
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0))
}

/** Labels, sets by slot and single-value keys by column, as a change holds them. */
export interface SlottedValues {
  readonly labels: Readonly<Record<string, string>>
  readonly sets: Readonly<Record<number, readonly string[]>>
  readonly keys: readonly (string | null)[]
}

export function indexedFrom(layout: TableLayout, { labels, sets, keys }: SlottedValues): IndexedValues {
  const keyOf = (slot: number) => keys[layout.columns.indexOf(slot)] ?? undefined
  return {
    labels,
    single: Object.fromEntries(singles(layout).map(({ name, slot }) => [name, keyOf(slot)])),
    multi: Object.fromEntries(multis(layout).map(({ name, slot }) => [name, sets[slot] ?? []])),
  }
}
