import type { PluginDefinition, Rule } from '@pergola/api'

/** Weight of `*`, larger than any list. */
const everything = 1_000

/** Picks the role with the fewest rights. The plugin's own roles come before foreign ones. */
export function narrowestRole(names: readonly string[], roles: PluginDefinition['roles'] = []): string | undefined {
  const breadth = (name: string) => {
    const role = roles.find(({ metadata }) => metadata.name === name)
    return role ? role.rules.reduce((sum, rule) => sum + breadthOf(rule), 0) : Number.POSITIVE_INFINITY
  }
  return names.toSorted((one, other) => breadth(one) - breadth(other))[0]
}

function breadthOf(rule: Rule): number {
  const subjects = 'nonResourceURLs' in rule ? rule.nonResourceURLs : rule.resources
  return countOf(rule.verbs) * countOf(subjects)
}

function countOf(words: readonly string[]): number {
  return words.includes('*') ? everything : words.length
}
