import type { ParametersOf } from '../route/path-parameters.ts'
import type { AnyAnswer, Answered, Method, NoBody, PlainQuery, RouteContext, RouteOptions } from '../route/route.ts'
import type { Infer, Schema } from '../schema/infer.ts'
import { createMark } from './mark.ts'

/** Values of one method decorator. */
interface DeclaredEndpoint {
  readonly method: Method
  readonly path: string
  readonly options: RouteOptions<Schema, Schema, Schema>
}

/** A decorated method. It receives the context of a route handler, and may declare only the parts it uses. */
export type EndpointMethod<Path extends string, Body, Query, Answer> = (
  context: RouteContext<ParametersOf<Path>, Infer<Query>, Infer<Body>>,
) => Answered<Infer<Answer>> | Promise<Answered<Infer<Answer>>>

/** A method decorator. The first signature is for standard decorators, the second for `experimentalDecorators`. */
export interface EndpointDecorator<Decorated> {
  (method: Decorated, context: EndpointContext): void
  (prototype: object, name: string | symbol, descriptor: { readonly value?: Decorated }): void
}

export interface EndpointContext {
  readonly kind: 'method'
  readonly static: false
  readonly private: false
}

/** Declares a method as a route. The path is appended to that of the class; the options are those of `route`. */
export type Endpoint = <
  const Path extends '' | `/${string}` = '',
  const Body extends Schema = NoBody,
  const Query extends Schema = PlainQuery,
  const Answer extends Schema = AnyAnswer,
>(
  path?: Path,
  options?: RouteOptions<Body, Query, Answer>,
) => EndpointDecorator<EndpointMethod<Path, Body, Query, Answer>>

/** In source order, although the lowest decorator is called first. */
export const endpoints = createMark<readonly DeclaredEndpoint[]>('endpoints')

/** Declares a method as a `GET` route below the path of its class. */
export const Get: Endpoint = endpointOf('GET')
/** Declares a method as a `POST` route below the path of its class. */
export const Post: Endpoint = endpointOf('POST')
/** Declares a method as a `PUT` route below the path of its class. */
export const Put: Endpoint = endpointOf('PUT')
/** Declares a method as a `PATCH` route below the path of its class. */
export const Patch: Endpoint = endpointOf('PATCH')
/** Declares a method as a `DELETE` route below the path of its class. */
export const Delete: Endpoint = endpointOf('DELETE')

function endpointOf(method: Method): Endpoint {
  return (path, options = {}) =>
    (first: object, _: unknown, descriptor?: { readonly value?: object }) => {
      const decorated = descriptor?.value ?? first
      endpoints.put(decorated, [{ method, path: path ?? '', options }, ...(endpoints.of(decorated) ?? [])])
    }
}
