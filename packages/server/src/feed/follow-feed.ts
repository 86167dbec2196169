import { ApiError } from '@pergola/api'
import { decodeRevision } from '../store/revision.ts'
import type { Change, Store } from '../store/store.ts'
import type { Feed } from './feed.ts'

/** A load counts as current for this long while the feed does not run. */
const staleMs = 3_000

export interface FollowedCacheParts {
  readonly store: Store
  readonly feed: Feed
  /** Reads everything again. */
  readonly load: () => Promise<void>
  /** Applies changes made after the load; some may already be included in it. */
  readonly apply: (changes: readonly Change[]) => void
  /** What is cached, for error messages: "roles and users". */
  readonly what: string
}

/** A cache of database content that follows the feed. */
export interface Kept extends Disposable {
  /** Reads everything for the first time; the feed has been started. */
  start(): Promise<void>
  isCurrent(): boolean
  /** Reads everything again; throws `Unavailable` when that fails. */
  catchUp(): Promise<void>
}

export function followFeed({ store, feed, load, apply, what }: FollowedCacheParts): Kept {
  /** The last load included everything up to this position. */
  let read = 0
  let missed = false
  /** Changes that arrived during the load. */
  let waiting: Change[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const takeUp = (changes: readonly Change[]) => {
    const news = changes.filter(({ position }) => position.number > read)
    if (news.length > 0) apply(news)
  }
  const readAnew = async () => {
    const began = performance.now()
    const { number } = decodeRevision(await store.head())
    await load()
    read = number
    readAt = began
    missed = false
    takeUp(waiting)
    waiting = []
  }
  const catchUp = () => (reading ??= readAnew().finally(() => (reading = undefined)))
  const subscription = feed.subscribe('caches', {
    onChanges: (changes) => {
      if (reading) waiting.push(...changes)
      else takeUp(changes)
    },
    onLost: async () => {
      missed = true
      // A running load may have begun too early. If this load fails, the cache is not used.
      await reading?.catch(() => {})
      await catchUp().catch(() => {})
    },
  })
  return {
    start: catchUp,
    isCurrent: () => !missed && (feed.isCurrent() || performance.now() - readAt < staleMs),
    catchUp: () =>
      catchUp().catch((cause: unknown) => {
        throw new ApiError('Unavailable', `${what} cannot be read from the database now; try again`, {
          headers: { 'retry-after': '1' },
          cause,
        })
      }),
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  }
}
