import type { RouteTypes } from '@pergola/client'
import type { CallContext } from '../handler-context.ts'
import type { Created } from './created.ts'
import type { RoleTemplate } from '../role-template.ts'
import type { Infer, InferInput, Schema } from '../schema/infer.ts'
import type { ParametersOf } from './path-parameters.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Method and path, relative to the group and version of the audience: `GET /todos/:name/share`. */
export type RouteLine = `${Method} /${string}`

export interface RouteOptions<Body, Query, Answer> {
  /** Template that allows the route. Without it, only the super administrator may call it. */
  readonly allow?: RoleTemplate
  /** Schema of the JSON body, validated before the handler is called. Unknown fields are rejected, as in a model. */
  readonly body?: Body
  /**
   * Schema of the query: an object of strings, numbers, booleans and arrays of them. Unknown parameters are rejected. Without a
   * schema, all parameters are accepted, as strings.
   */
  readonly query?: Query
  /** Schema of the JSON response. */
  readonly response?: Answer
  /** The response is a stream, an event stream or a WebSocket. The verb of such a `GET` is `watch`. */
  readonly stream?: boolean
  /** Accepted content types of the body; default `application/json`. The handler reads others from `request`. */
  readonly accepts?: readonly string[]
  /** Content type of the response; default `application/json`. */
  readonly produces?: string
  /** Maximum body size in bytes; default 10 MiB. */
  readonly maxBody?: number
  /**
   * Names of response headers, such as `X-Total-Count`, that the host passes on in addition to the usual ones (content, caching,
   * `Location`, `Link`, `RateLimit-*` and so on). It drops all others. Cookies, CORS and policies cannot be named.
   */
  readonly responseHeaders?: readonly string[]
  /** Description in the API documentation. */
  readonly description?: string
}

export interface RouteContext<Params, Query, Body> extends CallContext {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
}

/** A route of any type. */
export interface AnyRoute extends Omit<RouteOptions<Schema, Schema, Schema>, 'stream'> {
  readonly method: Method
  readonly path: string
  readonly stream: boolean
  readonly handler: (context: RouteContext<never, never, never>) => unknown
}

export interface Route<Types extends RouteTypes> extends AnyRoute {
  /** Never set at run time; carries the types. */
  readonly types?: Types
}

/** Placeholder for a schema that is not given, as are the two types below. */
export interface NoBody {
  readonly '~unsafe': undefined
}

export interface PlainQuery {
  readonly '~unsafe': Readonly<Record<string, string | undefined>>
}

export interface AnyAnswer {
  readonly '~unsafe': unknown
}

/** Types derived from a route's line and schemas. */
export interface DeclaredTypes<Params extends object, Query, Body, Answer> extends RouteTypes {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly answer: Answer
}

/** What a handler may return. */
export type Answered<Value> = Value | Created<Value> | Response

/**
 * Declares a custom API. A returned value is sent as JSON, `created(value)` with status 201, a `Response` unchanged. Throw problems: `notFound('share')`. With
 * another `produces`, return a string, bytes, or an async iterable of them, which is streamed.
 */
export function route<
  const Line extends RouteLine,
  const Body extends Schema = NoBody,
  const Query extends Schema = PlainQuery,
  const Answer extends Schema = AnyAnswer,
>(
  line: Line,
  options: RouteOptions<Body, Query, Answer>,
  handler: (
    context: RouteContext<ParametersOf<Line>, Infer<Query>, Infer<Body>>,
  ) => Answered<Infer<Answer>> | Promise<Answered<Infer<Answer>>>,
): Route<DeclaredTypes<ParametersOf<Line>, InferInput<Query>, InferInput<Body>, Infer<Answer>>> {
  const { stream = false, ...rest } = options
  const space = line.indexOf(' ')
  return { ...rest, method: line.slice(0, space) as Method, path: line.slice(space + 1), stream, handler }
}
