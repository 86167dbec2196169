import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'
import { digestOf } from './secret.ts'

/** Time limit for signing in at the provider. */
export const loginMs = 10 * 60_000
/** Maximum number of unfinished logins from one address, which may be that of a whole office. */
const mostOfAddress = 500
const mostInAll = 20_000

/** A login by a provider, from its start to its callback. */
interface OidcLogin {
  readonly provider: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
  /** The user who links an identity, and the session used for it. */
  readonly linking?: { readonly uid: string; readonly sessionId: string }
}

interface LoginSecrets {
  readonly state: string
  /** A secret that only the browser has that started the login. */
  readonly browser: string
}

/** Logins in progress. Each can be finished once, in time, by the browser that started it, on any replica. */
export interface OidcLogins {
  begin(login: OidcLogin, secrets: LoginSecrets & { readonly address: string }): Promise<void>
  /** Uses the state up, whatever the outcome; another browser cannot use it up. */
  end(secrets: LoginSecrets): Promise<OidcLogin | undefined>
}

export function createOidcLogins(store: Store, clock: Clock): OidcLogins {
  return {
    begin: async ({ provider, nonce, verifier, returnTo, linking }, { state, browser, address }) => {
      await refuseTooMany(store, clock, address)
      await store.sql({
        text: `INSERT INTO oidc_logins
                 (state, browser, provider, nonce, verifier, return_to, uid, session_id, address, expires_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        values: [
          digestOf(state),
          digestOf(browser),
          provider,
          nonce,
          verifier,
          returnTo,
          linking?.uid ?? null,
          linking?.sessionId ?? null,
          address,
          clock.now() + loginMs,
        ],
      })
    },
    end: async ({ state, browser }) => {
      const [row] = await store.sql({
        text: `DELETE FROM oidc_logins WHERE state = $1 AND browser = $2 AND expires_at > $3
               RETURNING provider, nonce, verifier, return_to, uid, session_id`,
        values: [digestOf(state), digestOf(browser), clock.now()],
      })
      if (!row) return undefined
      const { uid, session_id: sessionId } = row
      return {
        provider: String(row['provider']),
        nonce: String(row['nonce']),
        verifier: String(row['verifier']),
        returnTo: String(row['return_to']),
        ...(uid !== null && { linking: { uid: String(uid), sessionId: String(sessionId) } }),
      }
    },
  }
}

/** Anybody may start a login, so the number of stored logins must be limited. */
async function refuseTooMany(store: Store, clock: Clock, address: string): Promise<void> {
  const [row] = await store.sql({
    text: `SELECT count(*) AS inall, count(CASE WHEN address = $2 THEN 1 END) AS same
           FROM oidc_logins WHERE expires_at > $1`,
    values: [clock.now(), address],
  })
  if (Number(row?.['same']) < mostOfAddress && Number(row?.['inall']) < mostInAll) return
  throw new ApiError('TooManyRequests', 'too many logins have begun and not ended; try again in a minute', {
    headers: { 'retry-after': '60' },
  })
}
