import type { Clock } from '../base/clock.ts'
import type { SqlStatement, Store } from '../store/store.ts'
import { digestOf } from './secret.ts'
import type { SessionUser } from './sessions.ts'

/** The owner of a personal access token, and its limits. */
interface TokenOwner extends SessionUser {
  /** Name of the token's object. */
  readonly tokenName?: string
  /** Limits the token to these of the owner's roles; all of them when absent. */
  readonly narrowedTo?: readonly string[]
  readonly expiresAt?: number
}

/** The digests of personal access tokens. For each there is an object with everything except the secret. */
export interface Tokens {
  /** Part of the write of the token's object. */
  kept(token: { readonly secret: string; readonly uid: string }, owner: TokenOwner): SqlStatement
  /** Part of the deletion of the token's object. */
  dropped(uid: string): SqlStatement
  /** The owner of the token, unless it has expired. */
  find(secret: string): Promise<TokenOwner | undefined>
}

export function createTokens(store: Store, clock: Clock): Tokens {
  return {
    kept: ({ secret, uid }, owner) => ({
      text: `INSERT INTO token_digests (digest, token, uid, user_name, roles, expires_at, token_name)
             VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      values: [
        digestOf(secret),
        uid,
        owner.uid,
        owner.name,
        owner.narrowedTo ? JSON.stringify(owner.narrowedTo) : null,
        owner.expiresAt ?? null,
        owner.tokenName ?? null,
      ],
    }),
    dropped: (uid) => ({ text: 'DELETE FROM token_digests WHERE token = $1', values: [uid] }),
    find: async (secret) => {
      const [row] = await store.sql({
        text: `SELECT uid, user_name, roles, expires_at, token_name FROM token_digests
               WHERE digest = $1 AND (expires_at IS NULL OR expires_at > $2)`,
        values: [digestOf(secret), clock.now()],
      })
      if (!row) return undefined
      const { uid, user_name: name, roles, expires_at: expiresAt, token_name: tokenName } = row
      return {
        uid: String(uid),
        name: String(name),
        ...(tokenName !== null && { tokenName: String(tokenName) }),
        ...(roles !== null && { narrowedTo: JSON.parse(String(roles)) as readonly string[] }),
        ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
      }
    },
  }
}
