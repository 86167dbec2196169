import type { CompiledRules } from './compile-rules.ts'

export interface RecentSetsBounds {
  readonly maxSets: number
  readonly maxCells: number
}

/** A cache of compiled rules, keyed by the set of roles. Evicts sets that were not used recently. */
export interface RecentSets {
  get(key: string): CompiledRules | undefined
  add(key: string, rules: CompiledRules): void
}

/**
 * Two generations, each within half of the bounds. A used set moves to the young generation; when that is full, the old
 * generation is dropped. Unlike an LRU list, repeated use of the same set, which is nearly always the case, costs nothing.
 */
export function createRecentSets({ maxSets, maxCells }: RecentSetsBounds): RecentSets {
  let young = new Map<string, CompiledRules>()
  let old = new Map<string, CompiledRules>()
  let cells = 0
  const add = (key: string, rules: CompiledRules) => {
    if (young.size > 0 && (young.size + 1 > maxSets / 2 || cells + rules.cells > maxCells / 2)) {
      old = young
      young = new Map()
      cells = 0
    }
    young.set(key, rules)
    cells += rules.cells
  }
  return {
    add,
    get: (key) => {
      const used = young.get(key)
      if (used) return used
      const seldom = old.get(key)
      if (seldom) add(key, seldom)
      return seldom
    },
  }
}
