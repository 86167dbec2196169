import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Frame } from '../base/wire.ts'
import type { Feed } from '../feed/feed.ts'
import { encodeRevision, revisionExpired } from '../store/revision.ts'
import type { Change, Place } from '../store/store.ts'
import { checkStanding, concernedBy } from './check-standing.ts'
import { deliver } from './deliver.ts'
import { bookmarkFrame } from './frames.ts'
import { tellEnd } from './tell-end.ts'
import { createWatcherIndex } from './watcher-index.ts'
import { revisionOf, sendTo, type Watcher } from './watcher.ts'

const tickMs = 1_000
const bookmarkMs = 10_000
/** Every so many ticks readers are asked whether they are still there. */
const probeTicks = 20

export interface WatchHubParts {
  readonly feed: Feed
  readonly clock: Clock
  readonly log: Log
  /** Whose rights the changes may concern. */
  readonly concerned: (changes: readonly Change[]) => 'everybody' | ReadonlySet<string>
  /** Sees to it that what was taken back elsewhere is known here. */
  readonly settle: () => Promise<void>
}

/** Everybody who watches, and what reaches them. */
export interface WatchHub extends Disposable {
  readonly feed: Feed
  /** How many there are. */
  size(): number
  /** From here on it is told when its rights are gone, when its time is over, when the server stops. */
  enter(watcher: Watcher): void
  /** From here on it is sent what is committed behind its place. */
  join(watcher: Watcher): void
  bookmark(watcher: Watcher): void
  /** Resolves after the next changes, or after a while. */
  nextChanges(waitMs: number): Promise<void>
  /** Tells why, when there is a reason, and closes. */
  end(watcher: Watcher, error?: unknown): void
  /** Without a word: its reader has gone. */
  leave(watcher: Watcher): void
  /** Looks at those of a user again: something it showed was taken back. */
  recheck(uid: string): Promise<void>
  /** Ends all, when the server stops. */
  drain(): void
}

export function createWatchHub(parts: WatchHubParts): WatchHub {
  const { feed, clock, log } = parts
  const all = new Set<Watcher>()
  const index = createWatcherIndex<Watcher>()
  const waiting = new Set<() => void>()
  /** Everything up to here was sent to those who have joined. */
  let place = feed.place
  const bookmark = createBookmarks(() => place)

  const leave = (watcher: Watcher) => {
    watcher.ended = true
    all.delete(watcher)
    index.remove(watcher.selection, watcher)
  }
  const end = (watcher: Watcher, error?: unknown) => {
    if (watcher.ended) return
    leave(watcher)
    tellEnd(watcher, error, log)
  }
  const endAll = (error: ApiError) => all.forEach((watcher) => end(watcher, error))
  /** Whoever stands no further than what is gone has missed something; others began further on, by what another replica told. */
  const goOnAlone = (watcher: Watcher, lost: Place) => {
    if (watcher.place.number <= lost.number) return end(watcher, revisionExpired())
    watcher.joined = false
    index.remove(watcher.selection, watcher)
    watcher.catchUp()
  }
  const subscription = feed.subscribe({
    onChanges: async (changes) => {
      if (all.size > 0) {
        await parts.settle().catch(() => {})
        await checkStanding(concernedBy(all, parts.concerned(changes)), end)
      }
      for (const change of changes) deliver({ index, end }, change)
      place = changes.at(-1)?.place ?? place
      for (const resolve of waiting) resolve()
    },
    onLost: () => {
      const lost = place
      place = feed.place
      for (const watcher of [...all].filter(({ joined }) => joined)) goOnAlone(watcher, lost)
    },
  })
  let ticks = 0
  const tick = setInterval(() => {
    const now = clock.now()
    const probes = ++ticks % probeTicks === 0
    for (const watcher of all) {
      if (now >= watcher.endsAt) end(watcher)
      else if (now >= watcher.expiresAt) void checkStanding([watcher], end)
      else if (watcher.joined && now - watcher.sentAt >= bookmarkMs) bookmark(watcher)
      if (probes) watcher.wire.probe()
    }
  }, tickMs)
  tick.unref()
  return {
    size: () => all.size,
    feed,
    enter: (watcher) => all.add(watcher),
    join: (watcher) => {
      if (watcher.ended) return
      watcher.shown = undefined
      watcher.hasPlace = true
      watcher.joined = true
      watcher.selection = index.add(watcher.selection, watcher)
    },
    bookmark,
    nextChanges: (waitMs) => nextCall(waiting, waitMs),
    end,
    leave,
    recheck: (uid) =>
      checkStanding(
        [...all].filter(({ standing }) => standing.uid === uid),
        end,
      ),
    drain: () => endAll(new ApiError('Draining', 'the server is stopping; go on from the last revision elsewhere')),
    [Symbol.dispose]: () => {
      clearInterval(tick)
      subscription[Symbol.dispose]()
    },
  }
}

/** Most readers are at the same place, and get the same bytes. */
function createBookmarks(placeNow: () => Place): (watcher: Watcher) => void {
  let made: { readonly place: Place; readonly frame: Frame } | undefined
  return (watcher) => {
    if (!watcher.joined) return
    const place = placeNow()
    if (watcher.ahead.size > 0 || watcher.place.number > place.number) {
      return sendTo(watcher, bookmarkFrame(revisionOf(watcher)))
    }
    watcher.place = place
    if (made?.place !== place) made = { place, frame: bookmarkFrame(encodeRevision({ ...place, skipped: [] })) }
    sendTo(watcher, made.frame)
  }
}

function nextCall(waiting: Set<() => void>, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      waiting.delete(done)
      resolve()
    }
    const timer = setTimeout(done, waitMs)
    waiting.add(done)
  })
}
