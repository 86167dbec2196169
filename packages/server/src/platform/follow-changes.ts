import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, isApiError } from '@pergola/api'
import type { Change, Revision, Store } from '../store/store.ts'

/** Each reading waits this long for something to happen. */
const waitMs = 1_000
const retryMs = 200
/** What is kept in memory counts for nothing when the log could not be read for this long. */
const staleMs = 3_000
const batch = 1_000

export interface FollowOptions {
  /** The place behind everything that is known already. */
  readonly from: Revision
  /** In order; what it throws is tried again as a loss of place. */
  readonly onChanges: (changes: readonly Change[]) => Promise<void>
  /** Some changes may have been missed: everything has to be read anew. */
  readonly onLost: () => Promise<void>
  /** Told once, until it works again. */
  readonly onError: (error: unknown) => void
}

/** Reads the change log from a place on that was the last one a moment ago. */
export interface Following extends Disposable {
  /** Whether everything up to a moment ago was seen. */
  isCurrent(): boolean
  /** Reads everything anew; throws `Unavailable` when that cannot be done. */
  catchUp(): Promise<void>
}

export function followChanges(store: Store, { from, onChanges, onLost, onError }: FollowOptions): Following {
  const stop = new AbortController()
  let place: Revision | undefined = from
  let currentAt = performance.now()
  const lookAnew = async () => {
    const head = await store.head()
    await onLost()
    place = head
    currentAt = performance.now()
  }
  let looking: Promise<void> | undefined
  const step = async () => {
    if (place === undefined) return lookAnew()
    const began = performance.now()
    const { changes, revision } = await store.readChanges(place, { limit: batch, waitMs, signal: stop.signal })
    if (changes.length > 0) await onChanges(changes)
    place = revision
    // Nothing that was committed before we asked is missing.
    currentAt = changes.length < batch ? Math.max(currentAt, began) : currentAt
  }
  const run = async () => {
    let failing = false
    while (!stop.signal.aborted) {
      try {
        await step()
        failing = false
      } catch (error) {
        place = undefined
        if (isApiError(error) && error.reason === 'RevisionExpired') continue
        if (!failing && !stop.signal.aborted) onError(error)
        failing = true
        await sleep(retryMs, undefined, { ref: false })
      }
    }
  }
  void run()
  return {
    isCurrent: () => performance.now() - currentAt < staleMs,
    catchUp: async () => {
      looking ??= lookAnew().finally(() => (looking = undefined))
      try {
        await looking
      } catch (cause) {
        throw new ApiError('Unavailable', 'roles and users cannot be read from the database now; try again', {
          headers: { 'retry-after': '1' },
          cause,
        })
      }
    },
    // A statement that does not end is not waited for.
    [Symbol.dispose]: () => stop.abort(),
  }
}
