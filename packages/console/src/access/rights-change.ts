import { verbs, type ResourceRule, type Role, type Rule } from '@pergola/api'
import { effectiveRules } from './role-words.ts'

/** Rights of one target each: a path, or a resource of one group with at most one name. */
export interface RightsChange {
  readonly gained: readonly Rule[]
  readonly lost: readonly Rule[]
}

/** The models that are known; in a rule, the plugin's name may precede the plural of its model. */
export type Plurals = readonly { readonly group: string; readonly plural: string }[]

/** What holders of the rules after gain and lose, compared with those before. */
export function rightsChange(before: readonly Rule[], after: readonly Rule[], models: Plurals): RightsChange {
  const plainBefore = before.flatMap((rule) => singles(rule, models))
  const plainAfter = after.flatMap((rule) => singles(rule, models))
  return { gained: without(plainAfter, plainBefore), lost: without(plainBefore, plainAfter) }
}

/** The rules of several roles together. */
export function rulesOfRoles(names: readonly string[], all: readonly Role[]): readonly Rule[] {
  const held = all.filter(({ metadata }) => names.includes(metadata.name))
  return held.flatMap((role) => effectiveRules(role, all).map(({ rule }) => rule))
}

function without(rules: readonly Rule[], others: readonly Rule[]): readonly Rule[] {
  const verbsOf = new Map<string, Set<string>>()
  for (const rule of rules) {
    const same = others.filter((other) => coversTarget(other, rule))
    const wanted = rule.verbs.includes('*') ? verbs : rule.verbs
    const left = wanted.filter((verb) => !same.some((other) => has(other.verbs, verb)))
    if (left.length === 0) continue
    const target = JSON.stringify({ ...rule, verbs: [] })
    const known = verbsOf.get(target) ?? new Set()
    for (const verb of left) known.add(verb)
    verbsOf.set(target, known)
  }
  return [...verbsOf].map(([target, found]) => {
    const isAll = verbs.every((verb) => found.has(verb))
    return { ...(JSON.parse(target) as Rule), verbs: isAll ? ['*'] : [...found].toSorted() }
  })
}

function singles(rule: Rule, models: Plurals): readonly Rule[] {
  const { verbs: allowed } = rule
  if ('nonResourceURLs' in rule) return rule.nonResourceURLs.map((url) => ({ nonResourceURLs: [url], verbs: allowed }))
  const { apiGroups, resources, resourceNames = [] } = rule
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }))
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      names.map((named) => ({
        apiGroups: [group],
        resources: [plainResource(group, resource, models)],
        ...named,
        verbs: allowed,
      })),
    ),
  )
}

/** `todos` for `todo/todos`, but `todos/status` as it is. */
function plainResource(group: string, resource: string, models: Plurals): string {
  const [first, ...rest] = resource.split('/')
  const isModel = (plural: string | undefined) => models.some((one) => one.group === group && one.plural === plural)
  return !isModel(first) && isModel(rest[0]) ? rest.join('/') : resource
}

/** Both of one target. */
function coversTarget(held: Rule, wanted: Rule): boolean {
  if ('nonResourceURLs' in wanted) {
    return 'nonResourceURLs' in held && coversUrl(held.nonResourceURLs[0] ?? '', wanted.nonResourceURLs[0] ?? '')
  }
  if ('nonResourceURLs' in held) return false
  return (
    has(held.apiGroups, wanted.apiGroups[0] ?? '') &&
    has(held.resources, wanted.resources[0] ?? '') &&
    coversName(held, wanted.resourceNames?.[0])
  )
}

function coversName({ resourceNames = [] }: ResourceRule, name: string | undefined): boolean {
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))
}

/** `<prefix>/*` covers what is below the prefix, not the prefix itself. */
function coversUrl(held: string, wanted: string): boolean {
  if (held === '*' || held === wanted) return true
  const prefix = held.slice(0, -1)
  return held.endsWith('/*') && wanted !== '*' && wanted.length > prefix.length && wanted.startsWith(prefix)
}

function has(held: readonly string[], wanted: string): boolean {
  return held.includes('*') || held.includes(wanted)
}
