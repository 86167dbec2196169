import type { PluginDefinition } from '../plugin-definition.ts'
import { verbs as allVerbs, type Rule } from '../rules.ts'
import { ownGroupsOf } from './package-contents.ts'

/** One part of a rule: verbs on one resource of one group, or on one URL. */
export type Right = ResourceRight | UrlRight

export interface ResourceRight {
  readonly group: string
  /** Without the `<plugin>/` prefix when the group belongs to the plugin. */
  readonly resource: string
  /** Object names; empty means all objects. */
  readonly names: readonly string[]
  readonly verbs: readonly string[]
}

export interface UrlRight {
  readonly url: string
  readonly verbs: readonly string[]
}

/** Rights that the rules grant, without duplicates. */
export function rightsOf(rules: readonly Rule[], definition: PluginDefinition): readonly Right[] {
  const own = ownGroupsOf(definition)
  const plain = (group: string, resource: string) => (own.has(group) ? withoutPrefix(resource, definition) : resource)
  const rights = rules.flatMap((rule): readonly Right[] => {
    if ('nonResourceURLs' in rule) return rule.nonResourceURLs.map((url) => ({ url, verbs: rule.verbs }))
    const { apiGroups, resources, resourceNames: names = [], verbs } = rule
    return apiGroups.flatMap((group) =>
      resources.map((resource) => ({ group, resource: plain(group, resource), names, verbs })),
    )
  })
  return merged(rights)
}

/** Removes the `<plugin>/` prefix, unless the plugin has a resource of its own name and the rest is a sub-resource of it. */
function withoutPrefix(resource: string, { name, models, routes }: PluginDefinition): string {
  if (!resource.startsWith(`${name}/`)) return resource
  const subresource = resource.slice(name.length + 1)
  const isStatus = models.some(({ plural, statusSubresource }) => plural === name && statusSubresource)
  const isRoute = routes.some(({ path }) => {
    const [, , , , called, , below] = path.split('/')
    return called === name && below === subresource
  })
  return isRoute || (isStatus && subresource === 'status') ? resource : subresource
}

/** Rights in `after` that `before` does not include, compared per verb and per name. */
export function addedRights(before: readonly Right[], after: readonly Right[]): readonly Right[] {
  return merged(after.flatMap(single).filter((right) => !before.some((other) => includes(other, right))))
}

/** Splits a right into rights with one verb and at most one name. */
function single(right: Right): readonly Right[] {
  const named: readonly Right[] =
    'url' in right || right.names.length === 0 ? [right] : right.names.map((name) => ({ ...right, names: [name] }))
  return named.flatMap((one) => one.verbs.map((verb) => ({ ...one, verbs: [verb] })))
}

/** True when `one` includes `other`, which has a single verb and at most one name. */
function includes(one: Right, other: Right): boolean {
  const [verb = ''] = other.verbs
  if (!contains(one.verbs, verb)) return false
  if ('url' in one || 'url' in other) return 'url' in one && 'url' in other && includesUrl(one.url, other.url)
  const isNamed = one.names.length === 0 || other.names.some((name) => one.names.includes(name))
  return isNamed && contains([one.group], other.group) && contains([one.resource], other.resource)
}

function includesUrl(one: string, other: string): boolean {
  return one === '*' || one === other || (one.endsWith('/*') && other.startsWith(one.slice(0, -1)) && other !== '*')
}

function contains(allowed: readonly string[], wanted: string): boolean {
  return allowed.includes('*') || allowed.includes(wanted)
}

/** Merges rights that differ only in verbs, then those that differ only in names. */
function merged(rights: readonly Right[]): readonly Right[] {
  const byVerbs = new Map<string, Right>()
  for (const right of rights) {
    const key = JSON.stringify('url' in right ? [right.url] : [right.group, right.resource, right.names])
    byVerbs.set(key, { ...right, verbs: joined(byVerbs.get(key)?.verbs ?? [], right.verbs) })
  }
  const byNames = new Map<string, Right>()
  for (const right of byVerbs.values()) {
    const isNamed = !('url' in right) && right.names.length > 0
    const key = JSON.stringify(isNamed ? { ...right, names: [] } : [right])
    const known = byNames.get(key)
    const names = known && 'names' in known ? known.names : []
    byNames.set(key, isNamed ? { ...right, names: [...new Set([...names, ...right.names])] } : right)
  }
  return [...byNames.values()]
}

/** Joins verbs in a fixed order; all verbs together become `*`. */
function joined(some: readonly string[], more: readonly string[]): readonly string[] {
  const all = new Set([...some, ...more])
  if (all.has('*') || allVerbs.every((verb) => all.has(verb))) return ['*']
  return [...all].toSorted((one, other) => placeOf(one) - placeOf(other))
}

const order = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

function placeOf(verb: string): number {
  const place = order.indexOf(verb)
  return place < 0 ? order.length : place
}

/** True when the right concerns a group of the plugin, with any verb. */
export function isOwn(right: Right, definition: PluginDefinition): boolean {
  const own = ownGroupsOf(definition)
  if (!('url' in right)) return own.has(right.group)
  const [root, apis, group = '', ...below] = right.url.split('/')
  return root === '' && apis === 'apis' && own.has(group) && below.length > 0
}
