import { sql, statement } from '../sql.ts'
import type { Store } from '../store.ts'

/** A login by a provider, from its start to its callback. */
export interface OidcLogin {
  readonly provider: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
  /** The user who links an identity, and the session used for it. */
  readonly linking?: { readonly uid: string; readonly sessionId: string }
}

/** Digests of the two secrets of a login. */
interface LoginKey {
  readonly state: string
  readonly browser: string
}

interface StoredOidcLogin extends OidcLogin, LoginKey {
  readonly address: string
  readonly expiresAt: number
}

export async function insertOidcLogin(store: Store, login: StoredOidcLogin): Promise<void> {
  const { state, browser, provider, nonce, verifier, returnTo, linking, address, expiresAt } = login
  const text = `INSERT INTO oidc_logins
                  (state, browser, provider, nonce, verifier, return_to, uid, session_id, address, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
  const { uid = null, sessionId = null } = linking ?? {}
  const values = [state, browser, provider, nonce, verifier, returnTo, uid, sessionId, address, expiresAt]
  await store[sql](statement(text, values))
}

/** Deletes the login and returns it; undefined when it has expired or does not exist. */
export async function takeOidcLogin(store: Store, key: LoginKey, now: number): Promise<OidcLogin | undefined> {
  const text = `DELETE FROM oidc_logins WHERE state = $1 AND browser = $2 AND expires_at > $3
                RETURNING provider, nonce, verifier, return_to, uid, session_id`
  const [row] = await store[sql](statement(text, [key.state, key.browser, now]))
  if (!row) return undefined
  const { uid, session_id: sessionId } = row
  return {
    provider: String(row['provider']),
    nonce: String(row['nonce']),
    verifier: String(row['verifier']),
    returnTo: String(row['return_to']),
    ...(uid !== null && { linking: { uid: String(uid), sessionId: String(sessionId) } }),
  }
}

/** Counts the logins that have not expired. */
export async function countOidcLogins(
  store: Store,
  address: string,
  now: number,
): Promise<{ readonly all: number; readonly ofAddress: number }> {
  const text = `SELECT count(*) AS inall, count(CASE WHEN address = $2 THEN 1 END) AS same
                FROM oidc_logins WHERE expires_at > $1`
  const [row] = await store[sql](statement(text, [now, address]))
  return { all: Number(row?.['inall']), ofAddress: Number(row?.['same']) }
}

export async function deleteExpiredOidcLogins(store: Store, now: number): Promise<void> {
  await store[sql](statement('DELETE FROM oidc_logins WHERE expires_at < $1', [now]))
}
