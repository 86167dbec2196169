import { ref, watch, type Ref } from 'vue'

export interface Flash {
  /** Keys of the rows that have just changed. */
  readonly changed: Ref<ReadonlySet<string>>
  readonly endFlash: (key: string) => void
}

/** Rows whose object changed flash until their animation ends. */
export function useFlash<Item>(items: () => readonly Item[], keyOf: (item: Item) => string): Flash {
  const changed = ref<ReadonlySet<string>>(new Set())
  watch(items, (now, before) => {
    const versions = new Map(before.map((item) => [keyOf(item), versionOf(item)]))
    const isChanged = (item: Item) => versions.has(keyOf(item)) && versions.get(keyOf(item)) !== versionOf(item)
    const isFlashing = (item: Item) => changed.value.has(keyOf(item))
    changed.value = new Set(now.filter((item) => isFlashing(item) || isChanged(item)).map(keyOf))
  })
  return {
    changed,
    endFlash: (key) => {
      changed.value = new Set([...changed.value].filter((one) => one !== key))
    },
  }
}

/** Items that are no API objects have no version and never flash. */
function versionOf(item: unknown): number | undefined {
  return (item as { readonly metadata?: { readonly version?: number } }).metadata?.version
}
