import { verbs } from '@pergola/api'

/**
 * What one place in a table allows: verbs, and the number of the rule that allows them. Rules are numbered in the order
 * in which they count; links are in that order and no verb is in two of them, so there are at most eight.
 */
export interface Grants {
  /** A bit for each verb. */
  readonly verbs: number
  readonly rule: number
  next: Grants | undefined
}

/** Greater than every rule's number. */
export const noRule = 2 ** 30 - 1

const bits = new Map<string, number>(verbs.map((verb, at) => [verb, 1 << at]))

export function verbBit(verb: string): number {
  return bits.get(verb) ?? 0
}

export function verbBits(granted: readonly string[]): number {
  const wanted = granted.includes('*') ? verbs : granted
  return wanted.reduce((all, verb) => all | verbBit(verb), 0)
}

/** Rules have to come in their order: a verb that was granted before stays with the rule that did. */
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
