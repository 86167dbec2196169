import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import { countOidcLogins, insertOidcLogin, takeOidcLogin, type OidcLogin } from '../store/records/oidc-logins.ts'
import type { Store } from '../store/store.ts'
import { digestOf } from './secret.ts'

/** Time limit for signing in at the provider. */
export const loginMs = 10 * 60_000
/** Maximum number of unfinished logins from one address, which may be that of a whole office. */
const mostOfAddress = 500
const mostInAll = 20_000

interface BrowserSecrets {
  readonly state: string
  /** A secret that only the browser has that started the login. */
  readonly browser: string
}

/** Logins in progress. Each can be finished once, in time, by the browser that started it, on any replica. */
export interface OidcLogins {
  begin(login: OidcLogin, secrets: BrowserSecrets & { readonly address: string }): Promise<void>
  /** Uses the state up, whatever the outcome; another browser cannot use it up. */
  end(secrets: BrowserSecrets): Promise<OidcLogin | undefined>
}

export function createOidcLogins(store: Store, clock: Clock): OidcLogins {
  return {
    begin: async (login, { state, browser, address }) => {
      await refuseTooMany(store, clock, address)
      const expiresAt = clock.now() + loginMs
      const key = { state: digestOf(state), browser: digestOf(browser) }
      await insertOidcLogin(store, { ...login, ...key, address, expiresAt })
    },
    end: ({ state, browser }) =>
      takeOidcLogin(store, { state: digestOf(state), browser: digestOf(browser) }, clock.now()),
  }
}

/** Anybody may start a login, so the number of stored logins must be limited. */
async function refuseTooMany(store: Store, clock: Clock, address: string): Promise<void> {
  const { all, ofAddress } = await countOidcLogins(store, address, clock.now())
  if (ofAddress < mostOfAddress && all < mostInAll) return
  throw new ApiError('TooManyRequests', 'too many logins have begun and not ended; try again in a minute', {
    headers: { 'retry-after': '60' },
  })
}
