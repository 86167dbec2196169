import { createClient, type Client, type ClientOptions } from './client.ts'
import { createRouteCall, type RouteCall } from './collection/call-route.ts'
import type { ModelClient } from './collection/collection.ts'

/** A connection to a server with one credential. */
export interface Connected {
  /** `client(Todo)`: the objects of a model, given its value. */
  readonly client: ModelClient
  /** `call(share, { name })`: calls a custom API, given its value. */
  readonly call: RouteCall
  /** The underlying client, for all other requests. */
  readonly requests: Client
}

/** Connects to a server, for use with the typed models and routes that `pergola codegen` writes or a plugin exports. */
export function connect(options: ClientOptions): Connected {
  const requests = createClient(options)
  return { client: (of) => requests.collection(of), call: createRouteCall(requests), requests }
}
