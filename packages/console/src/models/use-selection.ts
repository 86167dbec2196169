import type { ApiObject } from '@pergola/client'
import { computed, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'

export interface Selection {
  readonly keys: ShallowRef<ReadonlySet<string>>
  /** The selected objects among the visible rows. */
  readonly objects: ComputedRef<readonly ApiObject[]>
  /** All matching objects are selected, not only those on this page. */
  readonly isAll: ShallowRef<boolean>
  readonly select: (keys: readonly string[], isOn: boolean) => void
  readonly clear: () => void
  /** Selects these alone, as far as they are visible. */
  readonly only: (keys: readonly string[]) => void
}

/** Selected rows by uid. Another query, order or page clears the selection; a removed row leaves it. */
export function useSelection(rows: () => readonly ApiObject[], question: () => unknown): Selection {
  const keys = shallowRef<ReadonlySet<string>>(new Set())
  const isAll = shallowRef(false)
  const clear = () => {
    keys.value = new Set()
    isAll.value = false
  }
  watch(() => JSON.stringify(question()), clear)
  watch(rows, (now) => {
    const left = now.map(({ metadata }) => metadata.uid).filter((uid) => keys.value.has(uid))
    if (left.length < keys.value.size) keys.value = new Set(left)
    if (left.length === 0) isAll.value = false
  })
  return {
    keys,
    isAll,
    clear,
    only: (wanted) => {
      clear()
      const visible = new Set(rows().map(({ metadata }) => metadata.uid))
      keys.value = new Set(wanted.filter((key) => visible.has(key)))
    },
    objects: computed(() => rows().filter(({ metadata }) => keys.value.has(metadata.uid))),
    select: (some, isOn) => {
      isAll.value = false
      const next = new Set(keys.value)
      for (const key of some) {
        if (isOn) next.add(key)
        else next.delete(key)
      }
      keys.value = next
    },
  }
}
