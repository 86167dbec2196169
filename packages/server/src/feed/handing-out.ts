import { isApiError } from '@pergola/api'
import type { Log } from '../base/log.ts'
import { gauge } from '../base/metrics.ts'
import { decodeRevision } from '../store/revision.ts'
import type { Change, LogPosition, ReadChangesOptions, Revision, Store } from '../store/store.ts'
import type { Feed, FeedStage, FeedSubscriber } from './feed.ts'
import { createRecentChanges, type RecentChanges, type RecentLimits } from './recent-changes.ts'

/** After this long without a proof that no change is missing, caches that follow the feed are stale. */
const staleMs = 3_000
const kept: RecentLimits = { count: 10_000, bytes: 32 * 1024 * 1024 }
/** Limits of one read of the log. */
export const logBatch: Pick<ReadChangesOptions, 'limit' | 'maxBytes'> = { limit: 1_000, maxBytes: 8 * 1024 * 1024 }

/** The feed's position, and the delivery of its changes in this process, independent of the transport. */
export interface HandingOut extends Omit<Feed, typeof Symbol.dispose> {
  readonly revision: Revision
  /** Brings the caches up to date, advances to the position after the changes, and delivers them. */
  handOut(changes: readonly Change[], next: Revision): Promise<void>
  /** Everything committed before this moment has been handed out. */
  provenAt(moment: number): void
  /** Begins at the newest position. */
  start(): Promise<void>
  /** Continues from the newest position; tells all subscribers that changes were missed. */
  startAnew(): Promise<void>
}

export function createHandingOut(store: Store, log: Log): HandingOut {
  const subscribers: Record<FeedStage, Set<FeedSubscriber>> = { caches: new Set(), delivery: new Set() }
  let at: { readonly revision: Revision; readonly position: LogPosition } | undefined
  let recent: RecentChanges | undefined
  let currentAt = Number.NEGATIVE_INFINITY
  const reached = () => at ?? notStarted()
  const lagMs = () => performance.now() - currentAt
  gauge('pergola_feed_lag_seconds', () => [{ value: lagMs() / 1000 }])
  const goTo = (revision: Revision) => {
    at = { revision, position: positionOf(revision) }
  }
  const begin = async () => {
    goTo(await store.head())
    recent = createRecentChanges(reached().position, kept)
  }
  return {
    get revision() {
      return reached().revision
    },
    get position() {
      return reached().position
    },
    recent: (after) => (recent ?? notStarted()).since(after),
    isCurrent: () => lagMs() < staleMs,
    lagMs,
    subscribe: (stage, subscriber) => {
      subscribers[stage].add(subscriber)
      return { [Symbol.dispose]: () => subscribers[stage].delete(subscriber) }
    },
    handOut: async (changes, next) => {
      if (changes.length === 0) return goTo(next)
      for (const cache of subscribers.caches) await cache.onChanges(changes)
      // Only now: a watch that begins reads recent changes, too.
      goTo(next)
      recent?.add(changes)
      for (const receiver of subscribers.delivery) await receiver.onChanges(changes)
    },
    provenAt: (moment) => {
      currentAt = Math.max(currentAt, moment)
    },
    start: async () => {
      await begin()
      currentAt = performance.now()
    },
    startAnew: async () => {
      await begin()
      log.warn('changes were missed (expired from the log, or the database was restored); reloading all caches')
      for (const stage of [subscribers.caches, subscribers.delivery]) {
        for (const subscriber of stage) await subscriber.onLost()
      }
      currentAt = performance.now()
    },
  }
}

function notStarted(): never {
  throw new Error('the feed has not been started')
}

export function positionOf(revision: Revision): LogPosition {
  const { number, tag } = decodeRevision(revision)
  return { number, tag }
}

/** Runs `then` when the position is no longer in the log; rethrows other errors. */
export function ifExpired(then: () => Promise<void>): (error: unknown) => Promise<void> {
  return async (error) => {
    if (!isApiError(error) || error.reason !== 'RevisionExpired') throw error
    await then()
  }
}
