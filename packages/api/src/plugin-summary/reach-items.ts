import {
  audienceGroup,
  ownedVerbs,
  type OwnedDeclaration,
  type PluginDefinition,
  type RouteDeclaration,
} from '../plugin-definition.ts'
import { requestInfo, type RequestInfo } from '../request-info.ts'
import type { PlanItem } from './plan.ts'
import { rightWords } from './right-words.ts'
import type { ResourceRight, Right, UrlRight } from './rights.ts'

/** An item, and the words for it in names of approvals. Operators keep these names in scripts: they never change. */
export interface Reached {
  readonly item: PlanItem
  readonly name: string
}

/** Describes rights by what they allow: routes by method and path, everything else by verbs and resource. */
export function reachedBy(rights: readonly Right[], definition: PluginDefinition): readonly Reached[] {
  const reached = rights.flatMap((right) =>
    'url' in right ? reachedByUrl(right, definition) : reachedByResource(right, definition),
  )
  return [...new Map(reached.map((one) => [one.name, one])).values()]
}

export function reachItems(rights: readonly Right[], definition: PluginDefinition): readonly PlanItem[] {
  return reachedBy(rights, definition).map(({ item }) => item)
}

/** The right itself, whatever routes it opens. */
export function rightItem(right: Right, definition: PluginDefinition): PlanItem {
  const { verbs } = right
  if ('url' in right) return { code: 'url', values: { verbs, url: right.url } }
  const { group, resource, names } = right
  const home = homeOf(definition)
  const values = {
    verbs,
    resource,
    // Without a single group of its own, an absent group would make the core group look like the plugin's.
    ...((home === '' || group !== home) && { group }),
    ...(names.length > 0 && { names }),
    ...modelWords(definition, { group, plural: resource }),
  }
  return { code: 'resource', values }
}

/** Of the plugin's own models. */
function modelWords(
  { models }: PluginDefinition,
  { group, plural }: { readonly group: string; readonly plural: string },
) {
  const model = models.find((one) => one.group === group && one.plural === plural)
  return model ? { kind: model.kind, singular: model.singular } : {}
}

/** The group that descriptions omit: that of a plugin with exactly one group. */
function homeOf({ groups }: PluginDefinition): string {
  return groups.length === 1 ? (groups[0] ?? '') : ''
}

function reachedByUrl(right: UrlRight, definition: PluginDefinition): readonly Reached[] {
  const routes = definition.routes.filter((route) => {
    const info = infoOf(route)
    return info?.kind === 'non-resource' && allows(right.verbs, info.verb) && isAt(right.url, info.path)
  })
  if (routes.length === 0) return [reachedRight(right, definition)]
  return routes.map((route) => ({ item: routeItem(route), name: `${route.method} ${route.path}` }))
}

function reachedRight(right: Right, definition: PluginDefinition): Reached {
  return { item: rightItem(right, definition), name: rightWords(right, homeOf(definition)) }
}

function isAt(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('/*') && path.startsWith(url.slice(0, -1)))
}

function reachedByResource(right: ResourceRight, definition: PluginDefinition): readonly Reached[] {
  const owned = definition.owned.find(
    ({ group, plural }) => right.group === audienceGroup('uc', group) && right.resource === plural,
  )
  if (owned) return [reachedOwned(right, owned, definition)]
  const called = definition.routes.flatMap((route) => {
    const info = infoOf(route)
    return info?.kind === 'resource' && isAbout(right, info) ? [{ route, info }] : []
  })
  if (called.length === 0) return [reachedRight(right, definition)]
  // Verbs without a route are listed too: a later version may add a route for them, or a web app may serve them.
  const idle = right.verbs.filter((verb) => verb !== '*' && !called.some(({ info }) => info.verb === verb))
  const rest = idle.length > 0 ? [reachedRight({ ...right, verbs: idle }, definition)] : []
  return [...called.map(({ route }) => reachedRoute(route, right)), ...rest]
}

function isAbout(right: ResourceRight, info: RequestInfo): boolean {
  if (info.kind !== 'resource') return false
  const { group, resource, subresource, verb, name } = info
  const wanted = subresource === undefined ? resource : `${resource}/${subresource}`
  const isNamed = right.names.length === 0 || name === anyName || (name !== undefined && right.names.includes(name))
  return isNamed && right.group === group && right.resource === wanted && allows(right.verbs, verb)
}

function reachedRoute(route: RouteDeclaration, { names }: ResourceRight): Reached {
  const { method, path } = route
  const isNarrowed = names.length > 0 && path.split('/')[5]?.startsWith('{')
  if (!isNarrowed) return { item: routeItem(route), name: `${method} ${path}` }
  return { item: routeItem(route, names), name: `${method} ${path}${aloneWords(names)}` }
}

function reachedOwned(
  { verbs, names }: ResourceRight,
  { group, plural }: OwnedDeclaration,
  definition: PluginDefinition,
): Reached {
  const isAll = ownedVerbs.every((verb) => allows(verbs, verb))
  const own = `their own ${plural}${names.length > 0 ? aloneWords(names) : ''}`
  return {
    item: ownedItem({ group, plural, verbs, isAll, names }, definition),
    name: isAll ? own : `${verbs.join(',')} of ${own}`,
  }
}

interface OwnedAccess extends Pick<OwnedDeclaration, 'group' | 'plural'> {
  readonly verbs: readonly string[]
  readonly isAll: boolean
  readonly names: readonly string[]
}

export function ownedItem({ verbs, isAll, names, ...model }: OwnedAccess, definition: PluginDefinition): PlanItem {
  const values = {
    verbs,
    all: isAll ? ('yes' as const) : ('no' as const),
    resource: model.plural,
    ...(names.length > 0 && { names }),
    ...modelWords(definition, model),
  }
  return { code: 'owned', values }
}

function aloneWords(names: readonly string[]): string {
  return ` (${names.join(', ')} alone)`
}

export function routeItem({ method, path, description }: RouteDeclaration, names: readonly string[] = []): PlanItem {
  const values = { method, path, ...(description !== undefined && { description }), ...(names.length > 0 && { names }) }
  return { code: 'route', values }
}

/** Placeholder for a path parameter. */
const anyName = '~'

/** Parses a request to this route; undefined when no request could have this path. */
function infoOf({ method, path, stream }: RouteDeclaration): RequestInfo | undefined {
  try {
    const headers = stream ? { accept: 'text/event-stream' } : {}
    return requestInfo({ method, target: path.replaceAll(/\{[^/]*\}/g, anyName), headers })
  } catch {
    return undefined
  }
}

/** True when some right allows the route for at least one value of its parameters. */
export function isReached(route: RouteDeclaration, rights: readonly Right[]): boolean {
  const info = infoOf(route)
  if (!info) return false
  return rights.some((right) => {
    if ('url' in right)
      return info.kind === 'non-resource' && allows(right.verbs, info.verb) && isAt(right.url, info.path)
    return isAbout({ ...right, ...everywhere(right, info) }, info)
  })
}

/** Replaces `*` in the right by the request's group and resource. */
function everywhere(right: ResourceRight, info: RequestInfo): Partial<ResourceRight> {
  if (info.kind !== 'resource') return {}
  const { group, resource, subresource } = info
  return {
    ...(right.group === '*' && { group }),
    ...(right.resource === '*' && { resource: subresource === undefined ? resource : `${resource}/${subresource}` }),
  }
}

export function allows(verbs: readonly string[], verb: string): boolean {
  return verbs.includes('*') || verbs.includes(verb)
}
