import type { Rule } from '@pergola/api'

/** Weight of `*`, larger than any list in practice. */
const everything = 1_000

/** A rough measure of how much a rule grants; only for sorting. */
export function ruleBreadth(rule: Rule): number {
  const verbs = countOf(rule.verbs)
  if ('nonResourceURLs' in rule) return verbs * countOf(rule.nonResourceURLs)
  const { apiGroups, resources, resourceNames = [] } = rule
  const names = resourceNames.length === 0 ? everything : resourceNames.length
  return verbs * countOf(apiGroups) * countOf(resources) * names
}

function countOf(words: readonly string[]): number {
  return words.some((word) => word.endsWith('*')) ? everything : words.length
}
