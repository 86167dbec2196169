import {
  audienceGroup,
  type OwnedDeclaration,
  type PluginDefinition,
  type RouteDeclaration,
} from '../plugin-definition.ts'
import { requestInfo, type RequestInfo } from '../request-info.ts'
import { rightWords } from './right-words.ts'
import type { ResourceRight, Right, UrlRight } from './rights.ts'

/** Verbs that the host serves for owned objects. */
const ownedVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']

/** Describes rights by what they allow: routes as method and path, everything else as `get,list todos`. */
export function reachWords(rights: readonly Right[], definition: PluginDefinition): readonly string[] {
  const lines = rights.flatMap((right) =>
    'url' in right ? urlWords(right, definition) : resourceWords(right, definition),
  )
  return [...new Set(lines)]
}

/** The group that descriptions omit: that of a plugin with exactly one group. */
export function homeOf({ groups }: PluginDefinition): string {
  return groups.length === 1 ? (groups[0] ?? '') : ''
}

function urlWords(right: UrlRight, definition: PluginDefinition): readonly string[] {
  const routes = definition.routes.filter((route) => {
    const info = infoOf(route)
    return info?.kind === 'non-resource' && allows(right.verbs, info.verb) && isAt(right.url, info.path)
  })
  return routes.length > 0 ? routes.map(routeWords) : [rightWords(right, homeOf(definition))]
}

function isAt(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('/*') && path.startsWith(url.slice(0, -1)))
}

function resourceWords(right: ResourceRight, definition: PluginDefinition): readonly string[] {
  const owned = definition.owned.find(
    ({ group, plural }) => right.group === audienceGroup('uc', group) && right.resource === plural,
  )
  if (owned) return [ownedWords(right, owned)]
  const called = definition.routes.flatMap((route) => {
    const info = infoOf(route)
    return info?.kind === 'resource' && isAbout(right, info) ? [{ route, info }] : []
  })
  if (called.length === 0) return [rightWords(right, homeOf(definition))]
  // Verbs without a route are listed too: a later version may add a route for them, or a web app may serve them.
  const idle = right.verbs.filter((verb) => verb !== '*' && !called.some(({ info }) => info.verb === verb))
  const rest = idle.length > 0 ? [rightWords({ ...right, verbs: idle }, homeOf(definition))] : []
  return [...called.map(({ route }) => `${routeWords(route)}${nameWords(route, right)}`), ...rest]
}

function isAbout(right: ResourceRight, info: RequestInfo): boolean {
  if (info.kind !== 'resource') return false
  const { group, resource, subresource, verb, name } = info
  const wanted = subresource === undefined ? resource : `${resource}/${subresource}`
  const isNamed = right.names.length === 0 || name === anyName || (name !== undefined && right.names.includes(name))
  return isNamed && right.group === group && right.resource === wanted && allows(right.verbs, verb)
}

function nameWords({ path }: RouteDeclaration, { names }: ResourceRight): string {
  return names.length > 0 && path.split('/')[5]?.startsWith('{') ? ` (${names.join(', ')} alone)` : ''
}

function ownedWords({ verbs, names }: ResourceRight, { plural }: OwnedDeclaration): string {
  const own = `their own ${plural}${names.length > 0 ? ` (${names.join(', ')} alone)` : ''}`
  return ownedVerbs.every((verb) => allows(verbs, verb)) ? own : `${verbs.join(',')} of ${own}`
}

export function routeWords({ method, path }: RouteDeclaration): string {
  return `${method} ${path}`
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
