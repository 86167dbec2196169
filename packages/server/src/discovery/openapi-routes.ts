import type { JsonSchema, Reason, RouteDeclaration } from '@pergola/api'
import type { FreeName } from './openapi-names.ts'
import { refused } from './openapi-paths.ts'

type Json = Readonly<Record<string, unknown>>

/** Custom APIs as declared by their plugins, by path and method. */
export function routePaths(routes: readonly RouteDeclaration[], freeName: FreeName): Json {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  return Object.fromEntries(
    [...byPath].map(([path, there]) => [
      path,
      // OpenAPI can describe only one of a stream and a plain answer at the same path; the last one wins.
      Object.fromEntries(
        there
          .toSorted((one, other) => Number(other.stream ?? false) - Number(one.stream ?? false))
          .map((route) => [route.method.toLowerCase(), operationOf(route, freeName)]),
      ),
    ]),
  )
}

function operationOf(route: RouteDeclaration, freeName: FreeName): Json {
  const { method, path, description, allow, response, produces } = route
  const may = allow === undefined ? 'Only super administrators may call it.' : `Role template ${allow} allows it.`
  const said = route.stream ? `${may} It goes on: ask for an event stream, or for a WebSocket.` : may
  const type = produces ?? (response ? 'application/json' : undefined)
  const content = type === undefined ? {} : { content: { [type]: response ? { schema: response } : {} } }
  const body = bodyOf(route)
  return {
    operationId: operationId(method, path),
    summary: description ?? `${method} ${path}`,
    description: said,
    tags: ['custom'],
    'x-role-templates': allow === undefined ? [] : [allow],
    parameters: [...pathParameters(path), ...queryParameters(route.query)],
    ...(body && { requestBody: body }),
    responses: {
      200: { description: 'The response of the plugin.', ...content },
      ...(method === 'POST' && {
        201: { description: 'The response, if the plugin says that it created it.', ...content },
      }),
      ...refused(failuresOf(route), freeName),
    },
  }
}

/** `POST .../todos/{name}/share` is `postTodosNameShare`: unique within a version. */
function operationId(method: string, path: string): string {
  const words = path
    .split('/')
    .slice(4)
    .flatMap((segment) => segment.match(/[A-Za-z0-9]+/g) ?? ['any'])
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
}

function pathParameters(path: string): readonly Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function queryParameters(query: JsonSchema | undefined): readonly Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    readonly properties?: Json
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema }
  })
}

function bodyOf({ request, accepts }: RouteDeclaration): Json | undefined {
  if (!request && !accepts) return undefined
  const schema = request ? { schema: request } : {}
  const types = accepts ?? ['application/json']
  return { required: true, content: Object.fromEntries(types.map((type) => [type, schema])) }
}

/** Problems that the host and the SDK return, and those that handlers throw. */
function failuresOf({ method }: RouteDeclaration): readonly Reason[] {
  const always: readonly Reason[] = ['Conflict', 'PluginFailed', 'PluginNotStarted', 'PluginTimeout']
  const hasBody = method !== 'GET' && method !== 'DELETE'
  return hasBody ? [...always, 'PayloadTooLarge', 'UnsupportedMediaType', 'Invalid'] : always
}
