import { ApiError } from '@pergola/api'
import { decodeRevision } from '../store/revision.ts'
import type { Change, Store } from '../store/store.ts'
import type { Feed } from './feed.ts'

/** What was read counts for this long while the feed does not run. */
const staleMs = 3_000

export interface KeptParts {
  readonly store: Store
  readonly feed: Feed
  /** Reads everything anew. */
  readonly load: () => Promise<void>
  /** Takes up changes that came after it was read; again, perhaps, what it has already shown. */
  readonly apply: (changes: readonly Change[]) => void
  /** What it is, for whoever has to be told that it cannot be read: "roles and users". */
  readonly what: string
}

/** Something of the database that is kept in memory and follows the feed. */
export interface Kept extends Disposable {
  isCurrent(): boolean
  /** Reads everything anew; throws `Unavailable` when that cannot be done. */
  catchUp(): Promise<void>
}

export async function keepCurrent({ store, feed, load, apply, what }: KeptParts): Promise<Kept> {
  /** What lies up to here was there when everything was read last. */
  let read = 0
  let missed = false
  /** Changes that came while it was being read. */
  let waiting: Change[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const takeUp = (changes: readonly Change[]) => {
    const news = changes.filter(({ place }) => place.number > read)
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
  const subscription = feed.subscribe({
    onChanges: (changes) => {
      if (reading) waiting.push(...changes)
      else takeUp(changes)
    },
    onLost: async () => {
      missed = true
      // One that runs may have begun before. Should it fail, nobody is served by what there is.
      await reading?.catch(() => {})
      await catchUp().catch(() => {})
    },
  })
  await catchUp()
  return {
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
