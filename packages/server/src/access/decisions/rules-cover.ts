import type { NonResourceRule, ResourceRule, Rule } from '@pergola/api'
import { isUnderstood } from './understood-rule.ts'

/** Comparisons of one question. What takes more counts as not held: nobody keeps a replica busy by asking. */
const maxComparisons = 100_000

export interface CoverOptions {
  readonly pluginOf: (group: string) => string | undefined
  readonly maxComparisons?: number
}

/** What held rules grant together. */
export interface RulesCover {
  /** Whether they grant everything that the rule does. */
  covers(rule: Rule): boolean
  /** Of a single wanted right or rule with a held rule, so far. */
  readonly comparisons: number
  /** Whether something was answered no because it took too long to tell. */
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
  /** `<plural>` and `<plugin>/<plural>` are the same thing in a group of that plugin. */
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
        // Most rules are held as they are.
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
    // What is not understood grants nothing.
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

/** The same for rules that say the same words, in any order. */
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

/** `<prefix>/*` is what lies below, not the prefix itself. */
function coversUrl(held: string, wanted: string): boolean {
  if (held === '*' || held === wanted) return true
  const prefix = held.slice(0, -1)
  return held.endsWith('/*') && wanted !== '*' && wanted.length > prefix.length && wanted.startsWith(prefix)
}
