import { audienceGroup, responseHeadersFault, versionFault, type Audience, type RouteDeclaration } from '@pergola/api'
import type { AnyPlugin } from '../plugin.ts'
import type { RoleTemplate } from '../role-template.ts'
import type { AnyOwned } from '../route/owned.ts'
import type { AnyRoute } from '../route/route.ts'
import { groupOf, type ClaimedGroups } from './claimed-groups.ts'
import { roleNameOf } from './declare-roles.ts'
import { about, type Report } from './faults.ts'
import { optionFaults } from './option-faults.ts'
import { plainSchema } from './plain-schema.ts'
import type { Reachable } from './reach-faults.ts'
import { isReadable, pathFaults, segmentsOf, templateOf, type Pattern } from './route-path.ts'

export interface ReachableRoute extends Reachable {
  readonly declaration: RouteDeclaration
}

export const audiences: readonly Audience[] = ['console', 'uc', 'public']

export function declareRoutes(plugin: AnyPlugin, claimed: ClaimedGroups, report: Report): readonly ReachableRoute[] {
  return audiences.flatMap((audience) =>
    routesFor(plugin, audience).map((route) => declareRoute(route, { plugin, audience, claimed }, report)),
  )
}

export function allowFault({ roles = [] }: AnyPlugin, allow: RoleTemplate | undefined): string | undefined {
  if (!allow || roles.includes(allow)) return undefined
  return `allow names the template "${allow.template}", which is not in roles of the plugin; add it there`
}

export function routesFor(plugin: AnyPlugin, audience: Audience): readonly AnyRoute[] {
  const part = plugin[audience]
  if (!Array.isArray(part)) return []
  return (part as readonly (AnyRoute | AnyOwned)[]).filter((one) => 'handler' in one)
}

interface RouteFrame {
  readonly plugin: AnyPlugin
  readonly audience: Audience
  readonly claimed: ClaimedGroups
}

function declareRoute(route: AnyRoute, frame: RouteFrame, report: Report): ReachableRoute {
  const { plugin, audience } = frame
  const where = `${audience} "${route.method} ${route.path}"`
  optionFaults('route', route, (fault) => report(where, fault))
  const pattern = patternOf(route, frame, (fault) => report(where, fault))
  const responseHeaders = route.responseHeaders?.map((name) => name.toLowerCase())
  const faults = [
    ...bodyFaults(route),
    allowFault(plugin, route.allow),
    responseHeaders && responseHeadersFault(responseHeaders),
  ]
  for (const fault of [...pathFaults(pattern), ...faults]) report(where, fault)
  const schemas = { request: route.body, query: route.query, response: route.response }
  const plain = Object.entries(schemas).flatMap(([name, schema]) =>
    schema === undefined ? [] : [[name, plainSchema(schema, `${where} ${name}`, report)] as const],
  )
  const { description, accepts, produces, maxBody } = route
  const declaration: RouteDeclaration = {
    audience,
    method: route.method,
    path: templateOf(pattern.segments),
    ...(route.allow && { allow: roleNameOf(plugin.name, route.allow) }),
    ...(description !== undefined && { description }),
    ...Object.fromEntries(plain),
    ...(accepts && { accepts }),
    ...(produces !== undefined && { produces }),
    ...(route.stream && { stream: true }),
    ...(maxBody !== undefined && { maxBody }),
    ...(responseHeaders && { responseHeaders }),
  }
  return { where, allow: route.allow, patterns: isReadable(pattern) ? [pattern] : [], declaration }
}

/** A path below `/apis` includes group and version. Any other path is relative to the plugin's `api`. */
function patternOf(
  { method, path, stream }: AnyRoute,
  { audience, claimed }: RouteFrame,
  fault: (message: string | undefined) => void,
): Pattern {
  const { groups, api = '/' } = claimed
  if (!path.startsWith('/apis/')) {
    const base = `/apis/${audienceGroup(audience, groupOf(api))}/${api.slice(api.indexOf('/') + 1)}`
    return { method, segments: segmentsOf(`${base}${path}`), stream }
  }
  const [, , group = '', version = ''] = path.split('/')
  const derived = groups.map((one) => audienceGroup(audience, one))
  if (!derived.includes(group)) {
    fault(`is outside of the groups of its audience; begin with ${derived.map((one) => `/apis/${one}`).join(' or ')}`)
  }
  fault(about(version, versionFault(version)))
  return { method, segments: segmentsOf(path), stream }
}

function bodyFaults({ method, body, maxBody, accepts }: AnyRoute): readonly string[] {
  const takesBody = method !== 'GET' && method !== 'DELETE'
  return [
    ...(takesBody || (body === undefined && accepts === undefined)
      ? []
      : [`takes no body, being a ${method}; use the query`]),
    ...(maxBody === undefined || (Number.isSafeInteger(maxBody) && maxBody > 0)
      ? []
      : [`has a maxBody of ${maxBody}; it is a number of bytes`]),
  ]
}
