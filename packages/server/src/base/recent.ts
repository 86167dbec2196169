/** A cache by name that evicts entries not used recently. */
export interface Recent<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  clear(): void
  /** Unordered. */
  entries(): Iterable<readonly [key: string, value: Value]>
}

/**
 * Two generations of `most / 2`: a used entry moves to the young one; when that is full, the old one is dropped. An LRU list
 * would be written at every use, and deleted entries at the front of a map slow down the search for the oldest.
 */
export function createRecent<Value>(most: number): Recent<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  const set = (key: string, value: Value) => {
    if (young.size >= most / 2 && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    old.delete(key)
  }
  return {
    set,
    get: (key) => {
      const used = young.get(key)
      if (used !== undefined) return used
      const seldom = old.get(key)
      if (seldom !== undefined) set(key, seldom)
      return seldom
    },
    delete: (key) => {
      young.delete(key)
      old.delete(key)
    },
    clear: () => {
      young = new Map()
      old = new Map()
    },
    entries: () => [...young, ...old],
  }
}
