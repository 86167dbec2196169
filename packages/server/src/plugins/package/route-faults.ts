import {
  audienceGroup,
  maxPathSegments,
  responseHeadersFault,
  routesClash,
  versionFault,
  type Audience,
  type OwnedDeclaration,
  type PluginDefinition,
  type RouteDeclaration,
} from '@pergola/api'
import { isJsonObject } from '../../base/json-object.ts'

const audiences: readonly unknown[] = ['console', 'uc', 'public'] satisfies readonly Audience[]
const methods: readonly unknown[] = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
] satisfies readonly RouteDeclaration['method'][]
/** Characters that need no escape, and so are the same in a rule, a path and a request. */
const literalForm = /^[A-Za-z0-9._~-]+$/
const parameterForm = /^\{[A-Za-z][A-Za-z0-9_]*\}$/

/** Why the plugin's custom APIs cannot be served; undefined if they can. Their content is not validated yet. */
export function customApiFault({ groups, routes, apps, owned }: PluginDefinition): string | undefined {
  const strange = apps.find((audience: unknown) => !audiences.includes(audience))
  if (strange !== undefined) return `has a program for ${JSON.stringify(strange)}, which is no audience`
  for (const [at, route] of routes.entries()) {
    if (!isRoute(route)) return `has the route ${JSON.stringify(route)}, which lacks an audience, a method or a path`
    const fault = routeFault(route, groups) ?? clashOf(route, routes.slice(0, at), owned)
    if (fault !== undefined) return `has the route ${route.method} ${route.path}, which ${fault}`
  }
  return undefined
}

function isRoute(route: unknown): boolean {
  if (!isJsonObject(route)) return false
  const { audience, method, path } = route
  return audiences.includes(audience) && methods.includes(method) && typeof path === 'string'
}

function routeFault(
  { audience, path, maxBody, responseHeaders }: RouteDeclaration,
  groups: readonly string[],
): string | undefined {
  const [first, root, group = '', version = '', ...below] = path.split('/')
  const derived = groups.map((one) => audienceGroup(audience, one))
  if (first !== '' || root !== 'apis' || !derived.includes(group)) {
    return `is in none of the plugin's groups for that audience: ${derived.join(', ')}`
  }
  if (path.split('/').length - 1 > maxPathSegments) return `has more than ${maxPathSegments} segments`
  const fault = versionFault(version)
  if (fault !== undefined) return `has the version "${version}", which ${fault}`
  const [resource = '', , subresource = ''] = below
  if (below.some((segment) => segment.includes('*'))) return 'has a wildcard; name a parameter for each segment'
  const odd = below.find((segment) => !literalForm.test(segment) && !parameterForm.test(segment))
  if (odd !== undefined) return `has the segment "${odd}", which is neither a literal nor a parameter`
  if (!literalForm.test(resource)) return 'names no resource, which rules need'
  if (below.length === 3 && !literalForm.test(subresource))
    return 'has a parameter as a sub-resource, which no rule could name'
  const isSize = maxBody === undefined || (Number.isSafeInteger(maxBody) && maxBody > 0)
  if (!isSize) return `takes a body of ${JSON.stringify(maxBody)} bytes`
  return responseHeaders === undefined ? undefined : responseHeadersFault(responseHeaders)
}

/** An earlier route, or owned objects, that could match the same request. */
function clashOf(
  route: RouteDeclaration,
  before: readonly RouteDeclaration[],
  owned: readonly OwnedDeclaration[],
): string | undefined {
  const other = before.find((one) => routesClash(one, route))
  if (other) return `one request could mean as well as ${other.method} ${other.path}`
  const own = owned.find((one) => ownLines(one, route).some((line) => routesClash(line, route)))
  return own && `one request could mean as well as people's own ${own.plural}`
}

/** The paths of owned objects that the host serves, in the route's version. */
function ownLines({ group, plural }: OwnedDeclaration, { path, stream = false }: RouteDeclaration) {
  const [, , , version = ''] = path.split('/')
  const collection = `/apis/${audienceGroup('uc', group)}/${version}/${plural}`
  return [
    ...['GET', 'POST'].map((method) => ({ method, path: collection, stream })),
    ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ method, path: `${collection}/{name}`, stream })),
  ]
}
