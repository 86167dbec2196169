import { createClient, type Client, type ClientOptions } from './client.ts'
import { createRouteCall, type RouteCall } from './collection/call-route.ts'
import type { ModelClient } from './collection/collection.ts'

/** A server, as somebody. */
export interface Connected {
  /** `client(Todo)`: the objects of a model, by its value. */
  readonly client: ModelClient
  /** `call(share, { name })`: a custom API, by its value. */
  readonly call: RouteCall
  /** What both are made of, for everything else. */
  readonly requests: Client
}

/** For values that `pergola codegen` writes, or a plugin exports: whoever gives the value has its types. */
export function connect(options: ClientOptions): Connected {
  const requests = createClient(options)
  return { client: (of) => requests.collection(of), call: createRouteCall(requests), requests }
}
