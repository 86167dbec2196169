import type { ParametersOf } from '../route/path-parameters.ts'
import type { AnyAnswer, Method, NoBody, PlainQuery, RouteContext, RouteOptions } from '../route/route.ts'
import type { Infer, Schema } from '../schema/infer.ts'
import { createMark } from './mark.ts'

/** What one decorator says of a method. */
interface DeclaredEndpoint {
  readonly method: Method
  readonly path: string
  readonly options: RouteOptions<Schema, Schema, Schema>
}

/** A method takes what the handler of a route takes, and may ask for less of it. */
export type EndpointMethod<Path extends string, Body, Query, Answer> = (
  context: RouteContext<ParametersOf<Path>, Infer<Query>, Infer<Body>>,
) => Infer<Answer> | Response | Promise<Infer<Answer> | Response>

/** The first is how standard decorators are called, the second those of `experimentalDecorators`. */
export interface EndpointDecorator<Decorated> {
  (method: Decorated, context: EndpointContext): void
  (prototype: object, name: string | symbol, descriptor: { readonly value?: Decorated }): void
}

export interface EndpointContext {
  readonly kind: 'method'
  readonly static: false
  readonly private: false
}

/** The path follows that of the class, and the options are those of `route`. */
export type Endpoint = <
  const Path extends '' | `/${string}` = '',
  const Body extends Schema = NoBody,
  const Query extends Schema = PlainQuery,
  const Answer extends Schema = AnyAnswer,
>(
  path?: Path,
  options?: RouteOptions<Body, Query, Answer>,
) => EndpointDecorator<EndpointMethod<Path, Body, Query, Answer>>

/** As they are written; the lowest decorator is called first. */
export const endpoints = createMark<readonly DeclaredEndpoint[]>('endpoints')

/** A method that answers `GET`, at a path below that of its class. */
export const Get: Endpoint = endpointOf('GET')
/** A method that answers `POST`, at a path below that of its class. */
export const Post: Endpoint = endpointOf('POST')
/** A method that answers `PUT`, at a path below that of its class. */
export const Put: Endpoint = endpointOf('PUT')
/** A method that answers `PATCH`, at a path below that of its class. */
export const Patch: Endpoint = endpointOf('PATCH')
/** A method that answers `DELETE`, at a path below that of its class. */
export const Delete: Endpoint = endpointOf('DELETE')

function endpointOf(method: Method): Endpoint {
  return (path, options = {}) =>
    (first: object, _: unknown, descriptor?: { readonly value?: object }) => {
      const decorated = descriptor?.value ?? first
      endpoints.put(decorated, [{ method, path: path ?? '', options }, ...(endpoints.of(decorated) ?? [])])
    }
}
