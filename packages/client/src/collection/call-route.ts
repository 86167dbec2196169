import type { Client } from '../client.ts'
import type { Call } from '../send.ts'
import type { CallInput, RouteTypes } from './call-input.ts'

/** A custom API by its path: `/apis/uc.api.todo.example.com/v1alpha1/todos/{name}/share`. */
export interface ServedRoute<Types extends RouteTypes> {
  readonly method: string
  readonly path: string
  /** Never set at run time; carries the types. */
  readonly types?: Types
}

/** Calls a custom API: path parameters by name, and `body` and `query` beside them. */
export type RouteCall = <Types extends RouteTypes>(
  route: ServedRoute<Types>,
  ...input: CallInput<Types>
) => Promise<Types['answer']>

/** Path parameters by name, and `body` and `query` beside them. */
type Input = Readonly<Record<string, unknown>>

export function createRouteCall(client: Pick<Client, 'call'>): RouteCall {
  return async (route, ...[input]) => client.call(requestOfRoute(route, input))
}

/** Builds the request that calls a route: fills the path parameters and appends the query. */
export function requestOfRoute(
  { method, path }: Pick<ServedRoute<RouteTypes>, 'method' | 'path'>,
  input: Input = {},
): Pick<Call, 'method' | 'path' | 'body'> {
  const { body, query, ...parameters } = input
  const target = `${filled(path, parameters)}${queryText(query as Query | undefined)}`
  return { method, path: target, ...(body !== undefined && { body }) }
}

function filled(path: string, parameters: Input): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters[name])))
}

type Scalar = string | number | boolean
type Query = Readonly<Record<string, Scalar | readonly Scalar[] | undefined>>

function queryText(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${String(new URLSearchParams(pairs))}`
}
