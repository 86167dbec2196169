import { ApiError, isApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import { counter } from '../base/metrics.ts'
import { knownLoginMs } from './forget-expired.ts'
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

interface Counter {
  readonly key: string
  readonly most: number
  /** When full, the counter only slows attempts down. */
  readonly isSlowing?: boolean
}

export function createLoginLimits(store: Store, clock: Clock): LoginLimits {
  const refused = counter('pergola_login_failures')
  return {
    attempt: async ({ account, address }, guess) => {
      const network = networkOf(address)
      const isKnown = await knows(store, clock, { account, network })
      const ofPair: Counter = { key: `pair ${account} ${network}`, most: mostOfPair }
      const ofOthers: readonly Counter[] = [
        { key: `address ${network}`, most: mostOfAddress },
        { key: `account ${account}`, most: slowFrom, isSlowing: true },
      ]
      const taken: Counter[] = []
      const giveBack = () => refund(store, taken)
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
        await remember(store, clock, { account, network })
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

/** The remaining level of a counter; $2 is the time and $3 the time in which one unit drains. */
const left = 'login_attempts.level - ($2 - login_attempts.at) * 1.0 / $3'
const wait = `CASE WHEN (${left} - $4 + 1) * 1000 < ${slowestMs} THEN (${left} - $4 + 1) * 1000 ELSE ${slowestMs} END`

/** One statement, so that concurrent attempts cannot exceed the limit. */
async function take(store: Store, clock: Clock, { key, most, isSlowing = false }: Counter): Promise<void> {
  const now = clock.now()
  const unitMs = windowMs / most
  const hasWaited = isSlowing ? `OR $2 - login_attempts.at >= ${wait}` : ''
  const rows = await store.sql({
    text: `INSERT INTO login_attempts (key, level, at) VALUES ($1, 1, $2)
           ON CONFLICT (key) DO UPDATE SET level = CASE WHEN ${left} > 0 THEN ${left} ELSE 0 END + 1, at = $2
           WHERE ${left} <= $4 - 1 ${hasWaited} RETURNING level`,
    values: [key, now, unitMs, most],
  })
  if (rows.length > 0) return
  const [row] = await store.sql({ text: 'SELECT level, at FROM login_attempts WHERE key = $1', values: [key] })
  const at = Number(row?.['at'] ?? now)
  const over = Number(row?.['level'] ?? most) - (now - at) / unitMs - most + 1
  const waitMs = isSlowing ? at + Math.min(slowestMs, over * 1_000) - now : over * unitMs
  const seconds = Math.max(1, Math.ceil(Math.round(waitMs) / 1_000))
  throw new ApiError('TooManyRequests', `too many logins have failed; try again in ${seconds} seconds`, {
    headers: { 'retry-after': String(seconds) },
    params: { seconds },
  })
}

async function refund(store: Store, counters: readonly Counter[]): Promise<void> {
  for (const { key } of counters) {
    const less = 'CASE WHEN level > 1 THEN level - 1 ELSE 0 END'
    await store.sql({ text: `UPDATE login_attempts SET level = ${less} WHERE key = $1`, values: [key] })
  }
}

interface Pair {
  readonly account: string
  readonly network: string
}

async function knows(store: Store, clock: Clock, { account, network }: Pair): Promise<boolean> {
  const text = 'SELECT last_at FROM known_logins WHERE account = $1 AND network = $2 AND last_at > $3'
  return (await store.sql({ text, values: [account, network, clock.now() - knownLoginMs] })).length > 0
}

async function remember(store: Store, clock: Clock, { account, network }: Pair): Promise<void> {
  await store.sql({
    text: `INSERT INTO known_logins (account, network, last_at) VALUES ($1, $2, $3)
           ON CONFLICT (account, network) DO UPDATE SET last_at = excluded.last_at`,
    values: [account, network, clock.now()],
  })
}
