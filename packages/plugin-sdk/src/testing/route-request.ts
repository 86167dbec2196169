import type { PluginDefinition } from '@pergola/api'
import { requestOfRoute, type Call } from '@pergola/client'
import { audiences, routesFor } from '../inspect/declare-routes.ts'
import type { AnyPlugin } from '../plugin.ts'
import type { AnyRoute } from '../route/route.ts'

/** Path parameters by name, and `body` and `query` beside them. */
type Input = Readonly<Record<string, unknown>>

/** A request to send. */
export type RouteRequest = Pick<Call, 'method' | 'path' | 'body'>

export type RequestOf = (route: AnyRoute, input?: Input) => RouteRequest

/** Maps route values to the paths at which the host serves them. */
export function createRequestOf(plugin: AnyPlugin, { name, routes }: PluginDefinition): RequestOf {
  // Declarations are in the same order as the routes.
  const paths = new Map(
    audiences.flatMap((audience) => routesFor(plugin, audience)).map((route, at) => [route, routes[at]?.path]),
  )
  return (route, input) => {
    const { method } = route
    const path = paths.get(route)
    if (path === undefined) {
      throw new Error(`${method} ${route.path} is no route of the plugin "${name}"; name it in definePlugin`)
    }
    return requestOfRoute({ method, path }, input)
  }
}
