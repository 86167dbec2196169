import { objectNotFound } from '../../call/not-found.ts'
import type { Store, StoredObject } from '../../store/store.ts'
import type { Model } from '../model.ts'
import { assertOwned, type OwnerScope } from './owner-scope.ts'

export interface GetRequest {
  readonly name: string
  readonly scope?: OwnerScope | undefined
}

export async function getObject(store: Store, model: Model, { name, scope }: GetRequest): Promise<StoredObject> {
  const stored = await store.get(model, name)
  if (!stored) throw objectNotFound(model.singular, name)
  assertOwned(model, stored, scope)
  return stored
}
