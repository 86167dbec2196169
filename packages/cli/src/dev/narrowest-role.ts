import type { PluginDefinition, Rule } from '@pergola/api'

/** What stands for all there is counts for more than anybody would write. */
const everything = 1_000

/** Of roles that would do, the one that hands out least beside it. Those of others come after the plugin's own. */
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
