import type { RouteTypes } from '@pergola/client'
import type { CallContext } from '../handler-context.ts'
import type { RoleTemplate } from '../role-template.ts'
import type { Infer, InferInput, Schema } from '../schema/infer.ts'
import type { ParametersOf } from './path-parameters.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `GET /todos/:name/share`, below the group and version of its audience. */
export type RouteLine = `${Method} /${string}`

export interface RouteOptions<Body, Query, Answer> {
  /** Who holds it may call the route. Without one, only the super administrator may. */
  readonly allow?: RoleTemplate
  /** Of the JSON body, which is checked before the handler is called. */
  readonly body?: Body
  /** Of the query, an object of texts, numbers, booleans and arrays of them. Without one, texts as they come. */
  readonly query?: Query
  /** Of the JSON answer. */
  readonly response?: Answer
  /** The answer goes on for as long as somebody listens, as an event stream or WebSocket: the verb of a `GET` is `watch`. */
  readonly stream?: boolean
  /** Content types of the body: `application/json` unless it is said. Others are for the handler to read, from `request`. */
  readonly accepts?: readonly string[]
  /** The content type of the answer: `application/json` unless it is said. */
  readonly produces?: string
  /** In bytes: 10 MiB unless it is said. */
  readonly maxBody?: number
  /** For the pages that describe the API. */
  readonly description?: string
}

export interface RouteContext<Params, Query, Body> extends CallContext {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
}

/** A route, whatever it takes and answers. */
export interface AnyRoute extends Omit<RouteOptions<Schema, Schema, Schema>, 'stream'> {
  readonly method: Method
  readonly path: string
  readonly stream: boolean
  readonly handler: (context: RouteContext<never, never, never>) => unknown
}

export interface Route<Types extends RouteTypes> extends AnyRoute {
  /** Never there; it carries the types. */
  readonly types?: Types
}

/** Stand for schemas that are not given. */
export interface NoBody {
  readonly '~unsafe': undefined
}

export interface PlainQuery {
  readonly '~unsafe': Readonly<Record<string, string | undefined>>
}

export interface AnyAnswer {
  readonly '~unsafe': unknown
}

/** What a line and its schemas say of a route. */
export interface DeclaredTypes<Params extends object, Query, Body, Answer> extends RouteTypes {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly answer: Answer
}

/**
 * A custom API: a value is answered as JSON, a `Response` as it is; problems are thrown: `notFound('share')`. Where it produces
 * something else than JSON, the value is a text, bytes, or an async series of them, which is sent as it comes.
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
  ) => Infer<Answer> | Response | Promise<Infer<Answer> | Response>,
): Route<DeclaredTypes<ParametersOf<Line>, InferInput<Query>, InferInput<Body>, Infer<Answer>>> {
  const { stream = false, ...rest } = options
  const space = line.indexOf(' ')
  return { ...rest, method: line.slice(0, space) as Method, path: line.slice(space + 1), stream, handler }
}
