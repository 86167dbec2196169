import { ApiError, isApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import { counter } from '../base/metrics.ts'
import { knownLoginMs } from './forget-expired.ts'
import { isKnownLogin, upsertKnownLogin } from '../store/records/known-logins.ts'
import { countAttempt, readAttempts, uncountAttempt, type AttemptCounter } from '../store/records/login-attempts.ts'
import type { Store } from '../store/store.ts'
import { networkOf } from './network-of.ts'

/** A full counter drains to zero in this time. */
export const windowMs = 15 * 60_000
/** Failures from one address for one account: allows a person to mistype, but stops a guesser. */
export const mostOfPair = 5
/** Failures from one address for all accounts. */
export const mostOfAddress = 50
/** Failures for one account from anywhere only slow logins down; otherwise anybody could lock anybody else out. */
export const slowFrom = 10
export const slowestMs = 30_000

interface LoginAttempt {
  readonly account: string
  readonly address: string
}

/**
 * Attempts are counted in the database before a hash is computed: neither more replicas nor concurrent guesses make guessing
 * faster.
 */
export interface LoginLimits {
  /**
   * Returns the result of `guess`, where undefined is a failure. Throws `TooManyRequests`, with the time to wait, after too
   * many failures. A user who has signed in from this address before is known, and is not affected by failures of others.
   */
  attempt<Found>(
    attempt: LoginAttempt,
    guess: (known: { readonly isKnown: boolean }) => Promise<Found | undefined>,
  ): Promise<Found | undefined>
}

export function createLoginLimits(store: Store, clock: Clock): LoginLimits {
  const refused = counter('pergola_login_failures')
  for (const reason of ['wrong', 'limited']) refused(0, { reason })
  return {
    attempt: async ({ account, address }, guess) => {
      const network = networkOf(address)
      const isKnown = await isKnownLogin(store, { account, network }, clock.now() - knownLoginMs)
      const ofPair = counterOf(`pair ${account} ${network}`, mostOfPair)
      const ofOthers = [
        counterOf(`address ${network}`, mostOfAddress),
        { ...counterOf(`account ${account}`, slowFrom), longestWaitMs: slowestMs },
      ]
      const taken: AttemptCounter[] = []
      const giveBack = async () => {
        for (const { key } of taken) await uncountAttempt(store, key)
      }
      try {
        for (const limit of isKnown ? [ofPair] : [ofPair, ...ofOthers]) {
          await take(store, clock, limit)
          taken.push(limit)
        }
        const found = await guess({ isKnown })
        if (found === undefined) {
          refused(1, { reason: 'wrong' })
          return undefined
        }
        await upsertKnownLogin(store, { account, network }, clock.now())
        await giveBack()
        return found
      } catch (error) {
        // The password was not checked, or the outcome is unknown, so the attempt does not count.
        await giveBack()
        if (isApiError(error) && error.reason === 'TooManyRequests') refused(1, { reason: 'limited' })
        throw error
      }
    },
  }
}

async function take(store: Store, clock: Clock, limit: AttemptCounter): Promise<void> {
  const { key, most, unitMs, longestWaitMs } = limit
  const now = clock.now()
  if (await countAttempt(store, limit, now)) return
  const { level, at } = (await readAttempts(store, key)) ?? { level: most, at: now }
  const over = level - (now - at) / unitMs - most + 1
  const waitMs = longestWaitMs === undefined ? over * unitMs : at + Math.min(longestWaitMs, over * 1_000) - now
  const seconds = Math.max(1, Math.ceil(Math.round(waitMs) / 1_000))
  throw new ApiError('TooManyRequests', `too many logins have failed; try again in ${seconds} seconds`, {
    headers: { 'retry-after': String(seconds) },
    params: { seconds },
  })
}

function counterOf(key: string, most: number): AttemptCounter {
  return { key, most, unitMs: windowMs / most }
}
