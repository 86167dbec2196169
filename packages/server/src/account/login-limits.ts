import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'

/** Failures are forgotten when there was none for this long. */
const forgetMs = 15 * 60_000
/** From one address for one account: a person who mistypes, then a guesser. */
const mostOfPair = 5
/** From one address for all accounts. */
const mostOfAddress = 50
/** For one account from anywhere: only slowed, or anybody could lock anybody else out. */
const slowFrom = 10
const slowestMs = 2_000

interface LoginAttempt {
  readonly account: string
  readonly address: string
}

/** Counted in the database: guessing is no faster with more replicas. */
export interface LoginLimits {
  /** Throws `TooManyRequests` where too much has failed; waits where an account is under attack. */
  refuse(attempt: LoginAttempt): Promise<void>
  failed(attempt: LoginAttempt): Promise<void>
  /** Whoever gets in has failed enough. */
  succeeded(attempt: LoginAttempt): Promise<void>
}

export function createLoginLimits(store: Store, clock: Clock): LoginLimits {
  return {
    refuse: async (attempt) => {
      const keys = keysOf(attempt)
      const rows = await store.sql({
        text: 'SELECT key, failures, last_at FROM login_failures WHERE key IN ($1, $2, $3) AND last_at > $4',
        values: [keys.pair, keys.address, keys.account, clock.now() - forgetMs],
      })
      const count = (key: string) => Number(rows.find((row) => row['key'] === key)?.['failures'] ?? 0)
      if (count(keys.pair) >= mostOfPair || count(keys.address) >= mostOfAddress) {
        const last = Math.max(...rows.map((row) => Number(row['last_at'])))
        const seconds = Math.max(1, Math.ceil((last + forgetMs - clock.now()) / 1000))
        throw new ApiError('TooManyRequests', `too many logins have failed; try again in ${seconds} seconds`, {
          headers: { 'retry-after': String(seconds) },
        })
      }
      const beyond = count(keys.account) - slowFrom
      if (beyond > 0) await sleep(Math.min(slowestMs, beyond * 100))
    },
    failed: async (attempt) => {
      for (const key of Object.values(keysOf(attempt))) {
        await store.sql({
          text: `INSERT INTO login_failures (key, failures, last_at) VALUES ($1, 1, $2)
                 ON CONFLICT (key) DO UPDATE SET last_at = excluded.last_at,
                   failures = CASE WHEN login_failures.last_at > $3 THEN login_failures.failures + 1 ELSE 1 END`,
          values: [key, clock.now(), clock.now() - forgetMs],
        })
      }
    },
    succeeded: async (attempt) => {
      const { pair, account } = keysOf(attempt)
      await store.sql({ text: 'DELETE FROM login_failures WHERE key IN ($1, $2)', values: [pair, account] })
    },
  }
}

function keysOf({ account, address }: LoginAttempt) {
  return { pair: `pair ${account} ${address}`, address: `address ${address}`, account: `account ${account}` }
}
