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

interface Defined {
  readonly plugin: AnyPlugin
  readonly definition: PluginDefinition
}

/** Maps route values of these plugins, the tested one first, to the paths at which the host serves them. */
export function createRequestOf(plugins: readonly [Defined, ...Defined[]]): RequestOf {
  const [
    {
      definition: { name },
    },
  ] = plugins
  const paths = new Map(
    plugins.flatMap(({ plugin, definition: { routes } }) =>
      audiences
        .flatMap((audience) => routesFor(plugin, audience))
        // Declarations are in the same order as the routes.
        .map((route, at) => [route, routes[at]?.path] as const),
    ),
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
