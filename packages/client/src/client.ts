import type { ApiObject } from '@pergola/api'
import { sendBatch, type Batch, type BatchOperation, type BatchOptions } from './batch.ts'
import type { Collection } from './collection/collection.ts'
import type { CollectionOptions } from './collection/collection-options.ts'
import { createCollection } from './collection/create-collection.ts'
import type { ModelTypes, Served } from './collection/served.ts'
import { transportOf, type WatchConnection } from './frames.ts'
import type { NewObject, ResourceType } from './object-types.ts'
import { createResource, type Resource } from './resource.ts'
import { send, type Call, type OnRetry } from './send.ts'

export interface ClientOptions {
  /** URL of the server: `https://pergola.example.com`. */
  readonly url: string | URL
  /** Sent as a bearer token. Without it, requests use the browser's session cookie, or are anonymous. */
  readonly token?: string | undefined
  /** Replaces the global `fetch`. Watches then use it too, instead of a WebSocket. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Timeout of each call, including retries; default 60 s. */
  readonly timeoutMs?: number | undefined
  /** A watch reconnects after receiving nothing for this long; default 30 s. */
  readonly silenceMs?: number | undefined
  /** Transport of watches; by default, whichever the runtime supports. */
  readonly transport?: WatchConnection['transport'] | undefined
  /** Called with each error that is retried, for logging. */
  readonly onRetry?: OnRetry | undefined
  /** Called with each error that a call throws, before it is thrown. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Called when a watch has connected, and again after each reconnect. */
  readonly onConnect?: (() => void) | undefined
}

export interface Client {
  /** The objects of a model, named by group, version and plural. */
  resource<Stored extends ApiObject = ApiObject, Created = NewObject<Stored>>(
    type: ResourceType<Stored>,
  ): Resource<Stored, Created>
  /** The objects of a model, named by the model's value, with its types. */
  collection<Types extends ModelTypes>(
    of: Served<Types>,
    options?: CollectionOptions<Types['object']>,
  ): Collection<Types>
  readonly batch: Batch
  /** Sends any other request, to custom APIs, access reviews or discovery; returns the response body. */
  call(call: Call): Promise<unknown>
}

/** For resources that are named by group, version and plural; `connect` is for the values of models. */
export function createClient(options: ClientOptions): Client {
  const { url, token, fetch, headers, timeoutMs, silenceMs, onRetry, onError, onConnect } = options
  const sent = { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const connection: WatchConnection = {
    url: new URL(url),
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    headers: sent,
    transport: options.transport ?? transportOf(sent, fetch !== undefined),
    timeoutMs,
    silenceMs,
    onRetry,
    onError,
    onConnect,
  }
  return {
    resource: (type) => createResource(connection, type),
    collection: (of, given) => {
      const { group, version, plural } = of
      return createCollection(createResource(connection, { group, version, plural }), of, given)
    },
    batch: (async (operations: readonly BatchOperation[], given?: BatchOptions) =>
      sendBatch(connection, operations, given)) as Batch,
    call: (call) => send(connection, call),
  }
}
