import type { ApiObject } from '@pergola/api'
import type {
  Batch,
  BatchOperation,
  BatchOptions,
  Client,
  ClientOptions,
  ModelClient,
  ModelTypes,
  Served,
} from '@pergola/client'
import type { AnyModel } from '../model/model.ts'
import type { AnyOwned } from '../route/owned.ts'
import { addSite, callSite } from './call-site.ts'
import { fillDefaults } from './fill-defaults.ts'

/** Creates a client that reports its errors, so that they can be told where they began. */
export type ClientFor = (onError: (error: unknown) => void) => Client

/** Creates a client of the plugin. A fence is sent with every write. */
export type ClientBy = (
  how: Pick<ClientOptions, 'headers' | 'onError'> & { readonly fence?: string | undefined },
) => Client

interface ModelClientOptions {
  readonly client: Client | ClientFor
  /** Ends all watches of the client. */
  readonly signal: AbortSignal
}

/** Creates `client(Todo)` with the rights of `client`. */
export function createModelClient({ client, signal }: ModelClientOptions): ModelClient {
  const modelClient = <Types extends ModelTypes>(of: Served<Types>) =>
    sitedClient(client, modelClient).collection(of, { whole: wholeBy<Types['object']>(of), signal })
  return modelClient
}

/** Creates `batch([...])` with the rights of `client`. */
export function createBatch({ client, signal }: ModelClientOptions): Batch {
  const batch = async (operations: readonly BatchOperation[], options: BatchOptions = {}) => {
    const results = await sitedClient(client, batch).batch(operations, { signal, ...options })
    return results.map((object, at) => wholeBy(operations[at]?.of ?? {})(object))
  }
  return batch as Batch
}

/** Errors of the client get the position of the code that called `above`. */
function sitedClient(client: Client | ClientFor, above: (...args: never[]) => unknown): Client {
  if (typeof client !== 'function') return client
  const site = callSite(above)
  return client((error) => addSite(error, site))
}

/** Fills in defaults that were declared after the object was stored. */
type Whole<Stored> = (object: Stored) => Stored

export function wholeBy<Stored extends ApiObject>(of: object): Whole<Stored> {
  const { spec, status } = modelOf(of)
  return (object) => fillDefaults({ properties: { spec, status } }, object)
}

function modelOf(of: object): Partial<Pick<AnyModel, 'spec' | 'status'>> {
  return 'model' in of ? (of as AnyOwned).model : of
}
