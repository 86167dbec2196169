import type { ApiObject } from '@pergola/api'
import type { Client, ModelClient, ModelTypes, Served } from '@pergola/client'
import type { AnyModel } from '../model/model.ts'
import type { AnyOwned } from '../route/owned.ts'
import { fillDefaults } from './fill-defaults.ts'

interface ModelClientOptions {
  readonly client: Client
  /** Ends all watches of the client. */
  readonly signal: AbortSignal
}

/** Creates `client(Todo)` with the rights of `client`. */
export function createModelClient({ client, signal }: ModelClientOptions): ModelClient {
  return <Types extends ModelTypes>(of: Served<Types>) => client.collection(of, { whole: wholeBy(of), signal })
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
