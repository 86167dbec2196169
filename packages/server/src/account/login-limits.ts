import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'
import { networkOf } from './network-of.ts'
import { createOneAtATime } from './one-at-a-time.ts'

/** Failures are forgotten when there was none for this long. */
const forgetMs = 15 * 60_000
/** From one address for one account: a person who mistypes, then a guesser. */
const mostOfPair = 5
/** From one address for all accounts. */
const mostOfAddress = 50
/** For one account from anywhere: only slowed, or anybody could lock anybody else out. */
const slowFrom = 10
const slowestMs = 2_000
/** From one address, behind the one that is looked at. */
const mostWaiting = 50

interface LoginAttempt {
  readonly account: string
  readonly address: string
}

/**
 * Failures are counted in the database: guessing is no faster with more replicas. Of one address a replica looks at one
 * guess at a time, or many sent at once would all be looked at before the first has failed.
 */
export interface LoginLimits {
  /**
   * Answers what the guess answers, where undefined is a failure. Throws `TooManyRequests` where too much has failed; waits
   * where an account is under attack. Whoever gets in has failed enough.
   */
  attempt<T>(attempt: LoginAttempt, guess: () => Promise<T | undefined>): Promise<T | undefined>
}

export function createLoginLimits(store: Store, clock: Clock): LoginLimits {
  const inLine = createOneAtATime(mostWaiting)
  return {
    attempt: async (attempt, guess) => {
      const keys = keysOf(attempt)
      const { ofAccount } = await refuse(store, clock, keys)
      // Outside the line: whoever comes from the same address for another account is not slowed.
      if (ofAccount > slowFrom) await sleep(Math.min(slowestMs, (ofAccount - slowFrom) * 100))
      return inLine.run(keys.address, async () => {
        await refuse(store, clock, keys)
        const answer = await guess()
        if (answer === undefined) await failed(store, clock, keys)
        else await succeeded(store, keys)
        return answer
      })
    },
  }
}

type Keys = ReturnType<typeof keysOf>

async function refuse(store: Store, clock: Clock, keys: Keys): Promise<{ readonly ofAccount: number }> {
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
  return { ofAccount: count(keys.account) }
}

async function failed(store: Store, clock: Clock, keys: Keys): Promise<void> {
  for (const key of Object.values(keys)) {
    await store.sql({
      text: `INSERT INTO login_failures (key, failures, last_at) VALUES ($1, 1, $2)
             ON CONFLICT (key) DO UPDATE SET last_at = excluded.last_at,
               failures = CASE WHEN login_failures.last_at > $3 THEN login_failures.failures + 1 ELSE 1 END`,
      values: [key, clock.now(), clock.now() - forgetMs],
    })
  }
}

async function succeeded(store: Store, { pair, account }: Keys): Promise<void> {
  await store.sql({ text: 'DELETE FROM login_failures WHERE key IN ($1, $2)', values: [pair, account] })
}

function keysOf({ account, address }: LoginAttempt) {
  const network = networkOf(address)
  return { pair: `pair ${account} ${network}`, address: `address ${network}`, account: `account ${account}` }
}
