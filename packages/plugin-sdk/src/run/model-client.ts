import type { ApiObject } from '@pergola/api'
import type { Client, ModelClient, ModelTypes, Served } from '@pergola/client'
import type { AnyModel } from '../model/model.ts'
import type { AnyOwned } from '../route/owned.ts'
import { addSite, callSite } from './call-site.ts'
import { fillDefaults } from './fill-defaults.ts'

/** Creates a client that reports its errors, so that they can be told where they began. */
export type ClientFor = (onError: (error: unknown) => void) => Client

interface ModelClientOptions {
  readonly client: Client | ClientFor
  /** Ends all watches of the client. */
  readonly signal: AbortSignal
}

/** Creates `client(Todo)` with the rights of `client`. */
export function createModelClient({ client, signal }: ModelClientOptions): ModelClient {
  const modelClient = <Types extends ModelTypes>(of: Served<Types>) => {
    const options = { whole: wholeBy<Types['object']>(of), signal }
    if (typeof client !== 'function') return client.collection(of, options)
    const site = callSite(modelClient)
    return client((error) => addSite(error, site)).collection(of, options)
  }
  return modelClient
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
