import type { CompiledRules } from './compile-rules.ts'

export interface RecentSetsBounds {
  readonly maxSets: number
  readonly maxCells: number
}

/** Compiled rules by the set of roles they came from. What was not used lately is let go. */
export interface RecentSets {
  get(key: string): CompiledRules | undefined
  add(key: string, rules: CompiledRules): void
}

/**
 * Two halves, each within half of the bounds: what is used is in the young one or moves there, and when that is full the
 * old one is dropped. Unlike a list in order of use this costs nothing when the same is used again, which is nearly always.
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
