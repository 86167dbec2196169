import type { NonResourceRule, ResourceRule, Rule } from '@pergola/api'
import { isUnderstood } from './understood-rule.ts'

/** Maximum comparisons per question. Beyond it the answer is "not held", so that no question can keep a replica busy. */
const maxComparisons = 100_000

export interface CoverOptions {
  readonly pluginOf: (group: string) => string | undefined
  readonly maxComparisons?: number
}

/** What a set of held rules grants together. */
export interface RulesCover {
  /** Whether the held rules grant everything that the rule grants. */
  covers(rule: Rule): boolean
  /** Comparisons of a wanted right or rule with a held rule so far. */
  readonly comparisons: number
  /** Whether the answer was "not held" because the comparisons ran out. */
  readonly isExhausted: boolean
}

export function createRulesCover(held: readonly Rule[], options: CoverOptions): RulesCover {
  const { pluginOf, maxComparisons: most = maxComparisons } = options
  const understood = held.filter(isUnderstood)
  const same = new Set(understood.map(keyOf))
  const paths = understood.filter((rule): rule is NonResourceRule => 'nonResourceURLs' in rule)
  const byResource = indexed(understood.filter((rule): rule is ResourceRule => 'resources' in rule))
  let comparisons = 0
  const some = <Candidate>(candidates: readonly Candidate[], test: (candidate: Candidate) => boolean) => {
    for (const candidate of candidates) {
      if (++comparisons > most) return false
      if (test(candidate)) return true
    }
    return false
  }
  /** In a group of the plugin, `<plural>` and `<plugin>/<plural>` name the same resource. */
  const namesOf = (group: string, resource: string): readonly string[] => {
    const plugin = pluginOf(group)
    if (plugin === undefined || resource === '*') return [resource, '*']
    const prefix = `${plugin}/`
    const other = resource.startsWith(prefix) ? resource.slice(prefix.length) : `${prefix}${resource}`
    return [resource, '*', other]
  }
  const coversPaths = ({ nonResourceURLs, verbs }: NonResourceRule) =>
    distinct(nonResourceURLs).every((url) =>
      distinct(verbs).every((verb) =>
        some(paths, (rule) => has(rule.verbs, verb) && rule.nonResourceURLs.some((own) => coversUrl(own, url))),
      ),
    )
  const coversResources = ({ apiGroups, resources, resourceNames = [], verbs }: ResourceRule) => {
    const wanted = { verbs: distinct(verbs), names: resourceNames.length === 0 ? [undefined] : distinct(resourceNames) }
    return distinct(apiGroups).every((group) =>
      distinct(resources).every((resource) => {
        const rules = namesOf(group, resource).flatMap((name) => byResource.get(name) ?? [])
        const ofGroup = (rule: WordSets) => holds(rule.groups, group)
        const all = (rule: WordSets) =>
          ofGroup(rule) &&
          wanted.verbs.every((verb) => holds(rule.verbs, verb)) &&
          wanted.names.every((name) => coversName(rule, name))
        // Fast path: usually one held rule covers the whole wanted rule.
        if (some(rules, all)) return true
        return wanted.verbs.every((verb) =>
          wanted.names.every((name) =>
            some(rules, (rule) => ofGroup(rule) && holds(rule.verbs, verb) && coversName(rule, name)),
          ),
        )
      }),
    )
  }
  return {
    // A rule that is not understood grants nothing, so it is covered.
    covers: (rule) =>
      !isUnderstood(rule) ||
      same.has(keyOf(rule)) ||
      ('nonResourceURLs' in rule ? coversPaths(rule) : coversResources(rule)),
    get comparisons() {
      return comparisons
    },
    get isExhausted() {
      return comparisons > most
    },
  }
}

interface WordSets {
  readonly groups: ReadonlySet<string>
  readonly verbs: ReadonlySet<string>
  readonly names: ReadonlySet<string>
}

function indexed(rules: readonly ResourceRule[]): ReadonlyMap<string, readonly WordSets[]> {
  const found = new Map<string, WordSets[]>()
  for (const { apiGroups, resources, resourceNames = [], verbs } of rules) {
    const sets = { groups: new Set(apiGroups), verbs: new Set<string>(verbs), names: new Set(resourceNames) }
    for (const resource of distinct(resources)) {
      const known = found.get(resource)
      if (known) known.push(sets)
      else found.set(resource, [sets])
    }
  }
  return found
}

const keys = new WeakMap<Rule, string>()

/** A key that is equal for rules with the same words in any order. */
function keyOf(rule: Rule): string {
  const known = keys.get(rule)
  if (known !== undefined) return known
  const words = Object.entries(rule).map(([field, value]) => [field, distinct(value as readonly string[]).toSorted()])
  const key = JSON.stringify(words.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
  keys.set(rule, key)
  return key
}

function distinct<Word>(words: readonly Word[]): readonly Word[] {
  return [...new Set(words)]
}

function has(held: readonly string[], wanted: string): boolean {
  return held.includes('*') || held.includes(wanted)
}

function holds(held: ReadonlySet<string>, wanted: string): boolean {
  return held.has('*') || held.has(wanted)
}

function coversName({ names }: WordSets, name: string | undefined): boolean {
  return names.size === 0 || (name !== undefined && names.has(name))
}

/** `<prefix>/*` covers what is below the prefix, not the prefix itself. */
function coversUrl(held: string, wanted: string): boolean {
  if (held === '*' || held === wanted) return true
  const prefix = held.slice(0, -1)
  return held.endsWith('/*') && wanted !== '*' && wanted.length > prefix.length && wanted.startsWith(prefix)
}
