import type { NonResourceRule, ResourceRule, Rule } from '@pergola/api'
import { isUnderstood } from './understood-rule.ts'

/** A rule of more single rights than this counts as not held, unless one held rule has all of it. */
const maxRights = 20_000

export interface CoverOptions {
  readonly pluginOf: (group: string) => string | undefined
}

/** Those of the wanted rules that grant something which the held ones together do not. */
export function uncoveredRules(wanted: readonly Rule[], held: readonly Rule[], options: CoverOptions): readonly Rule[] {
  const understood = held.filter(isUnderstood)
  // What is not understood grants nothing.
  return wanted.filter((rule) => isUnderstood(rule) && !isCovered(rule, understood, options))
}

function isCovered(wanted: Rule, held: readonly Rule[], { pluginOf }: CoverOptions): boolean {
  if ('nonResourceURLs' in wanted) {
    const rules = held.filter((rule): rule is NonResourceRule => 'nonResourceURLs' in rule)
    return (
      rights(wanted.nonResourceURLs, wanted.verbs)?.every(([url = '', verb = '']) =>
        rules.some((rule) => has(rule.verbs, verb) && rule.nonResourceURLs.some((own) => coversUrl(own, url))),
      ) === true
    )
  }
  const rules = held.filter((rule): rule is ResourceRule => 'resources' in rule)
  const { apiGroups, resources, resourceNames = [], verbs } = wanted
  const names = resourceNames.length === 0 ? [undefined] : resourceNames
  const covers = (rule: ResourceRule, right: Right) =>
    has(rule.verbs, right.verb) &&
    has(rule.apiGroups, right.group) &&
    coversResource(rule, right, pluginOf) &&
    coversName(rule, right.name)
  // Most rules are held as they are.
  const all = (rule: ResourceRule) =>
    verbs.every((verb) => has(rule.verbs, verb)) &&
    apiGroups.every((group) => has(rule.apiGroups, group)) &&
    resources.every((resource) => has(rule.resources, resource)) &&
    names.every((name) => coversName(rule, name))
  if (rules.some(all)) return true
  return (
    rights(apiGroups, resources, verbs, names)?.every(([group = '', resource = '', verb = '', name]) =>
      rules.some((rule) => covers(rule, { group, resource, verb, name })),
    ) === true
  )
}

interface Right {
  readonly group: string
  readonly resource: string
  readonly verb: string
  readonly name: string | undefined
}

/** Every combination; undefined when there are too many. */
function rights(
  ...lists: readonly (readonly (string | undefined)[])[]
): readonly (readonly (string | undefined)[])[] | undefined {
  if (lists.reduce((count, { length }) => count * length, 1) > maxRights) return undefined
  return lists.reduce<readonly (readonly (string | undefined)[])[]>(
    (found, list) => found.flatMap((right) => list.map((value) => [...right, value])),
    [[]],
  )
}

function has(held: readonly string[], wanted: string): boolean {
  return held.includes('*') || held.includes(wanted)
}

/** `<plural>` and `<plugin>/<plural>` are the same thing in a group of that plugin. */
function coversResource(rule: ResourceRule, { group, resource }: Right, pluginOf: CoverOptions['pluginOf']): boolean {
  if (has(rule.resources, resource)) return true
  const plugin = pluginOf(group)
  if (plugin === undefined) return false
  const prefix = `${plugin}/`
  const other = resource.startsWith(prefix) ? resource.slice(prefix.length) : `${prefix}${resource}`
  return rule.resources.includes(other)
}

function coversName({ resourceNames = [] }: ResourceRule, name: string | undefined): boolean {
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))
}

function coversUrl(held: string, wanted: string): boolean {
  if (held === '*' || held === wanted) return true
  return held.endsWith('/*') && wanted !== '*' && wanted.startsWith(held.slice(0, -1))
}
