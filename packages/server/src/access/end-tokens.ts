import type { Model } from '../models/model.ts'
import type { Store, WriteOperation } from '../store/store.ts'
import { ownerOfToken } from './token-model.ts'

/** More tokens than one user can have. */
const most = 10_000

/** Removes the token objects of a user; `deleteTokenDigests` deletes their secrets. */
export async function removeTokens(store: Store, tokens: Model, owner: string): Promise<readonly WriteOperation[]> {
  const where = [{ field: ownerOfToken, is: { op: '=' as const, value: owner } }]
  const { items } = await store.list(tokens, { where, limit: most, total: 'none' })
  return items.map(({ name, uid }) => ({ type: 'delete', model: tokens, name, expected: { uid } }))
}
