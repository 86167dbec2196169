import {
  ApiError,
  createRouteTable,
  localTarget,
  otherRoutesWords,
  requestInfo,
  type RequestHead,
  type RequestInfo,
} from '@pergola/api'
import type { Handler } from '../call/call.ts'
import type { HostRoute } from '../call/host-route.ts'
import { unfenced } from '../models/fence.ts'
import { refuseUnknown } from '../models/query/query-parameters.ts'

/**
 * Finds the handler of the host endpoint for a request; undefined when there is none. Throws `MethodNotAllowed`, with `Allow`,
 * when the path only has other methods.
 */
export type FindHostHandler = (asked: AskedRoute) => Handler | undefined

interface AskedRoute {
  readonly info: RequestInfo
  readonly request: RequestHead
}

/** The host's own endpoints, by method and path. */
export function createHostRoutes(routes: readonly HostRoute[]): FindHostHandler {
  const mayMatch = createFilter(routes)
  const table = createRouteTable(routes)
  return ({ info, request }) => {
    if (!mayMatch(info)) return undefined
    const [path = ''] = localTarget(request.target).split('?', 1)
    const asked = { method: request.method, path, isWatch: info.verb === 'watch' }
    const found = table.find(asked)
    if (!found) return undefined
    if ('route' in found) {
      const { route, parameters } = found
      const known = route.query?.map(({ name }) => name) ?? []
      return async (call) => {
        if (!route.hasOpenQuery) refuseUnknown(call.request.query, known)
        if (!route.isFenced && call.request.headers['pergola-fence'] !== undefined) throw unfenced()
        return route.handle(call, parameters)
      }
    }
    const methods = found.methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    throw new ApiError('MethodNotAllowed', otherRoutesWords(asked, { ...found, methods }), {
      headers: { allow: methods.join(', ') },
    })
  }
}

/** Most requests are for models: two look-ups tell them from host endpoints without reading the path. */
function createFilter(routes: readonly HostRoute[]): (info: RequestInfo) => boolean {
  const subresources = new Map<string, Map<string, Set<string | undefined>>>()
  for (const { method, path } of routes) {
    const info = requestInfo({ method, target: path, headers: {} })
    if (info.kind !== 'resource') continue
    const inGroup = subresources.get(info.group) ?? new Map<string, Set<string | undefined>>()
    subresources.set(info.group, inGroup)
    inGroup.set(info.resource, (inGroup.get(info.resource) ?? new Set()).add(info.subresource))
  }
  return (info) =>
    info.kind === 'non-resource' || (subresources.get(info.group)?.get(info.resource)?.has(info.subresource) ?? false)
}
