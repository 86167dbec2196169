import { sql, statement, type SqlStatement } from '../sql.ts'
import type { Store } from '../store.ts'
import type { SessionUser } from './sessions.ts'

/** The owner of a personal access token, and its limits. */
export interface TokenOwner extends SessionUser {
  /** Name of the token's object. */
  readonly tokenName?: string
  /** Limits the token to these of the owner's roles; all of them when absent. */
  readonly narrowedTo?: readonly string[]
  readonly expiresAt?: number
}

/** Stores the digest of a token's secret; `token` is the uid of the object that has everything else. */
export function insertTokenDigest(digest: string, token: string, owner: TokenOwner): SqlStatement {
  const { uid, name, narrowedTo, expiresAt = null, tokenName = null } = owner
  return statement(
    `INSERT INTO token_digests (digest, token, uid, user_name, roles, expires_at, token_name)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [digest, token, uid, name, narrowedTo ? JSON.stringify(narrowedTo) : null, expiresAt, tokenName],
  )
}

/** Undefined when the token has expired. */
export async function findTokenOwner(store: Store, digest: string, now: number): Promise<TokenOwner | undefined> {
  const text = `SELECT uid, user_name, roles, expires_at, token_name FROM token_digests
                WHERE digest = $1 AND (expires_at IS NULL OR expires_at > $2)`
  const [row] = await store[sql](statement(text, [digest, now]))
  if (!row) return undefined
  const { uid, user_name: name, roles, expires_at: expiresAt, token_name: tokenName } = row
  return {
    uid: String(uid),
    name: String(name),
    ...(tokenName !== null && { tokenName: String(tokenName) }),
    ...(roles !== null && { narrowedTo: JSON.parse(String(roles)) as readonly string[] }),
    ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
  }
}

export function deleteTokenDigest(token: string): SqlStatement {
  return statement('DELETE FROM token_digests WHERE token = $1', [token])
}

/** Deletes the digests of all tokens of a user. */
export function deleteTokenDigests(uid: string): SqlStatement {
  return statement('DELETE FROM token_digests WHERE uid = $1', [uid])
}
