import type { NonResourceRule } from '@pergola/api'
import { addGrant, firstRule, verbBits, type Grants } from './grants.ts'

/** Non-resource rules, keyed by the paths that they list. */
export interface PathTable {
  add(rule: NonResourceRule, at: number): void
  /** The number of the first rule that allows the request. */
  first(path: string, verb: number): number
}

export function createPathTable(): PathTable {
  let everywhere: Grants | undefined
  const exact = new Map<string, Grants>()
  /** Keyed by the part before the star, which ends with a slash. */
  const below = new Map<string, Grants>()
  /** The lengths of those prefixes, so that only prefixes of these lengths are cut out of a path. */
  const lengths = new Set<number>()

  return {
    add: ({ nonResourceURLs, verbs }, at) => {
      const granted = verbBits(verbs)
      for (const url of nonResourceURLs) {
        if (url === '*') everywhere = addGrant(everywhere, granted, at)
        else if (!url.endsWith('/*')) exact.set(url, addGrant(exact.get(url), granted, at))
        else {
          const prefix = url.slice(0, -1)
          below.set(prefix, addGrant(below.get(prefix), granted, at))
          lengths.add(prefix.length)
        }
      }
    },
    first: (path, verb) => {
      let first = Math.min(firstRule(everywhere, verb), firstRule(exact.get(path), verb))
      // A path is not below itself, so a trailing slash is not a prefix.
      for (let slash = path.indexOf('/'); slash >= 0 && slash < path.length - 1; slash = path.indexOf('/', slash + 1)) {
        if (!lengths.has(slash + 1)) continue
        first = Math.min(first, firstRule(below.get(path.slice(0, slash + 1)), verb))
      }
      return first
    },
  }
}
