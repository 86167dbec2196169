import type { ApiObject } from '@pergola/api'
import type { Collection } from './collection/collection.ts'
import type { CollectionOptions } from './collection/collection-options.ts'
import { createCollection } from './collection/create-collection.ts'
import type { ModelTypes, Served } from './collection/served.ts'
import { transportOf, type WatchConnection } from './frames.ts'
import type { NewObject, ResourceType } from './object-types.ts'
import { createResource, type Resource } from './resource.ts'
import { send, type Call, type OnRetry } from './send.ts'

export interface ClientOptions {
  /** Of the server: `https://pergola.example.com`. */
  readonly url: string | URL
  /** Without one, a browser's session or nobody. */
  readonly token?: string | undefined
  /** In place of the global one. Watches then use it too, and no WebSocket. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** For each call, 60 s unless it is said. */
  readonly timeoutMs?: number | undefined
  /** A watch that hears nothing for so long connects anew: 30 s unless it is said. */
  readonly silenceMs?: number | undefined
  /** How watches come; chosen by what the runtime can do unless it is said. */
  readonly transport?: WatchConnection['transport'] | undefined
  /** Told of whatever failed and is tried again, for logs. */
  readonly onRetry?: OnRetry | undefined
}

export interface Client {
  /** The objects of a model. */
  resource<Stored extends ApiObject = ApiObject, Created = NewObject<Stored>>(
    type: ResourceType<Stored>,
  ): Resource<Stored, Created>
  /** The same by the value of a model, with its types. */
  collection<Types extends ModelTypes>(
    of: Served<Types>,
    options?: CollectionOptions<Types['object']>,
  ): Collection<Types>
  /** Any other request: custom APIs, reviews, discovery. The body of its answer. */
  call(call: Call): Promise<unknown>
}

/** For resources that are named by group, version and plural; `connect` is for the values of models. */
export function createClient(options: ClientOptions): Client {
  const { url, token, fetch, headers, timeoutMs, silenceMs, onRetry } = options
  const sent = { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const connection: WatchConnection = {
    url: new URL(url),
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    headers: sent,
    transport: options.transport ?? transportOf(sent, fetch !== undefined),
    timeoutMs,
    silenceMs,
    onRetry,
  }
  return {
    resource: (type) => createResource(connection, type),
    collection: ({ group, version, plural, singular }, given) =>
      createCollection(createResource(connection, { group, version, plural }), singular, given),
    call: (call) => send(connection, call),
  }
}
