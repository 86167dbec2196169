import { verbs } from '@pergola/api'

/**
 * The verbs that one table cell allows, each with the number of its rule. Rules are numbered by precedence. Links are in that
 * order and no verb is in two of them, so there are at most eight.
 */
export interface Grants {
  /** A bitmask of verbs. */
  readonly verbs: number
  readonly rule: number
  next: Grants | undefined
}

/** Larger than the number of every rule. */
export const noRule = 2 ** 30 - 1

const bits = new Map<string, number>(verbs.map((verb, at) => [verb, 1 << at]))

export function verbBit(verb: string): number {
  return bits.get(verb) ?? 0
}

export function verbBits(granted: readonly string[]): number {
  const wanted = granted.includes('*') ? verbs : granted
  return wanted.reduce((all, verb) => all | verbBit(verb), 0)
}

/** Add rules in their order: a verb that an earlier rule granted stays with that rule. */
export function addGrant(grants: Grants | undefined, granted: number, rule: number): Grants {
  if (!grants) return { verbs: granted, rule, next: undefined }
  let added = granted
  let last = grants
  for (let link: Grants | undefined = grants; link; link = link.next) {
    added &= ~link.verbs
    last = link
  }
  if (added !== 0) last.next = { verbs: added, rule, next: undefined }
  return grants
}

export function firstRule(grants: Grants | undefined, verb: number): number {
  for (let link = grants; link; link = link.next) if ((link.verbs & verb) !== 0) return link.rule
  return noRule
}
