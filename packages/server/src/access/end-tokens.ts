import type { Model } from '../models/model.ts'
import type { SqlStatement, Store, WriteOperation } from '../store/store.ts'
import { ownerOfToken } from './token-model.ts'

/** More than anybody can have. */
const most = 10_000

/** Removes what is to be seen of a user's tokens; what they are known by goes with `tokensEnded`. */
export async function removeTokens(store: Store, tokens: Model, owner: string): Promise<readonly WriteOperation[]> {
  const where = [{ field: ownerOfToken, is: { op: '=' as const, value: owner } }]
  const { items } = await store.list(tokens, { where, limit: most, total: 'none' })
  return items.map(({ name, uid }) => ({ type: 'delete', model: tokens, name, expected: { uid } }))
}

export function tokensEnded(uid: string): SqlStatement {
  return { text: 'DELETE FROM token_digests WHERE uid = $1', values: [uid] }
}
