import { multis, singles, type TableLayout } from './model-table.ts'
import type { IndexedValues, LoggedValues } from './store.ts'

/**
 * The sets of an object by slot, sorted and without duplicates, so that equal sets are equal texts. Empty sets are omitted.
 */
export function setsBySlot(
  layout: TableLayout,
  sets: IndexedValues['multi'],
): Readonly<Record<number, readonly string[]>> {
  const entries = multis(layout).map(({ name, slot }) => [slot, [...new Set(sets[name] ?? [])].toSorted()] as const)
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0))
}

/** Labels, sets by slot and single-value keys by column, as a change stores them. */
export interface SlottedValues {
  readonly labels: Readonly<Record<string, string>>
  readonly sets: Readonly<Record<number, readonly string[]>>
  readonly keys: readonly (string | null)[]
}

export function indexedFrom(layout: TableLayout, { labels, sets, keys }: SlottedValues): LoggedValues {
  const { single: columns, multi: slots, forms } = placesIn(layout)
  const single: Record<string, string | undefined> = {}
  for (const [name, column] of columns) single[name] = keys[column] ?? undefined
  const multi: Record<string, readonly string[]> = {}
  for (const [name, slot] of slots) multi[name] = sets[slot] ?? []
  return { labels, single, multi, forms }
}

/** The columns and slots of a layout's indexes, by index name. */
interface Places {
  readonly single: readonly (readonly [name: string, column: number])[]
  readonly multi: readonly (readonly [name: string, slot: number])[]
  readonly forms: LoggedValues['forms']
}

const known = new WeakMap<TableLayout, Places>()

function placesIn(layout: TableLayout): Places {
  const found = known.get(layout)
  if (found) return found
  const places: Places = {
    single: singles(layout).map(({ name, slot }) => [name, layout.columns.indexOf(slot)]),
    multi: multis(layout).map(({ name, slot }) => [name, slot]),
    forms: Object.fromEntries(layout.indexes.map(({ name, form }) => [name, form])),
  }
  known.set(layout, places)
  return places
}
