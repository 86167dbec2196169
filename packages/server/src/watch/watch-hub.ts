import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Frame } from '../call/wire.ts'
import type { Feed } from '../feed/feed.ts'
import { encodeRevision, revisionExpired } from '../store/revision.ts'
import type { Change, LogPosition } from '../store/store.ts'
import { recheckOwners, concernedBy } from './recheck-owners.ts'
import { deliver } from './deliver.ts'
import { bookmarkFrame } from './frames.ts'
import { spreadOut } from './spread-out.ts'
import { tellEnd } from './tell-end.ts'
import { createWatcherIndex } from './watcher-index.ts'
import { revisionOf, sendTo, type Watcher } from './watcher.ts'

const tickMs = 1_000
/** After this much, connections get time to send: otherwise a large batch would look like a slow reader. */
const turnBytes = 256 * 1024
export const bookmarkMs = 10_000
/** Connections are probed every so many ticks. */
const probeTicks = 20

export interface WatchHubParts {
  readonly feed: Feed
  readonly clock: Clock
  readonly log: Log
  /** The users whose rights the changes may affect. */
  readonly concerned: (changes: readonly Change[]) => 'everybody' | ReadonlySet<string>
  /** Ensures that revocations on other replicas are known here. */
  readonly settle: () => Promise<void>
}

/** All watchers, and the delivery of changes to them. */
export interface WatchHub extends Disposable {
  /** Call once the feed is started. */
  start(): void
  readonly feed: Feed
  /** Number of watchers. */
  size(): number
  /** From now on, the watcher ends when its rights are revoked, its time has passed, or the server stops. */
  enter(watcher: Watcher): void
  /** From now on the watcher receives changes committed after its position. */
  join(watcher: Watcher): void
  bookmark(watcher: Watcher): void
  /** Resolves after the next changes, or after `waitMs`. */
  nextChanges(waitMs: number): Promise<void>
  /** Sends the reason, if there is one, and closes the stream. */
  end(watcher: Watcher, error?: unknown): void
  /** Removes the watcher silently: its reader has disconnected. */
  leave(watcher: Watcher): void
  /** Checks the watchers of a user again after a credential was revoked. */
  recheck(uid: string): Promise<void>
  /** Ends all watchers, and those that still enter, when the server stops. */
  drain(): void
}

export function createWatchHub(parts: WatchHubParts): WatchHub {
  const { feed, clock, log } = parts
  const all = new Set<Watcher>()
  const index = createWatcherIndex<Watcher>()
  const waiting = new Set<() => void>()
  /** All changes up to here were sent to the joined watchers. */
  let position: LogPosition = { number: 0, tag: '' }
  const bookmark = createBookmarks(() => position)
  let isDraining = false

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
  /**
   * Every watcher that has not passed the lost changes has missed some. Others have: they started later, at a revision from
   * another replica.
   */
  const goOnAlone = (watcher: Watcher, lost: LogPosition) => {
    if (watcher.position.number <= lost.number) return end(watcher, revisionExpired())
    watcher.joined = false
    index.remove(watcher.selection, watcher)
    watcher.catchUp()
  }
  const subscription = feed.subscribe('delivery', {
    onChanges: async (changes) => {
      if (all.size > 0) {
        await parts.settle().catch(() => {})
        await recheckOwners(concernedBy(all, parts.concerned(changes)), end)
      }
      await inTurns(changes, (change) => deliver({ index, end }, change))
      position = changes.at(-1)?.position ?? position
      for (const resolve of waiting) resolve()
    },
    onLost: () => {
      const lost = position
      position = feed.position
      for (const watcher of [...all].filter(({ joined }) => joined)) goOnAlone(watcher, lost)
    },
  })
  const tick = startTicking({ all, clock, end, bookmark })
  return {
    start: () => void (position = feed.position),
    size: () => all.size,
    feed,
    enter: (watcher) => {
      all.add(watcher)
      if (isDraining) end(watcher, draining())
    },
    join: (watcher) => {
      if (watcher.ended) return
      watcher.shown = undefined
      watcher.hasPosition = true
      watcher.joined = true
      watcher.selection = index.add(watcher.selection, watcher)
    },
    bookmark,
    nextChanges: (waitMs) => nextCall(waiting, waitMs),
    end,
    leave,
    recheck: (uid) =>
      recheckOwners(
        [...all].filter(({ owner }) => owner.uid === uid),
        end,
      ),
    drain: () => {
      isDraining = true
      spreadOut(all, (watcher) => end(watcher, draining()))
    },
    [Symbol.dispose]: () => {
      clearInterval(tick)
      subscription[Symbol.dispose]()
    },
  }
}

interface Ticking extends Pick<WatchHubParts, 'clock'>, Pick<WatchHub, 'end' | 'bookmark'> {
  readonly all: ReadonlySet<Watcher>
}

function startTicking({ all, clock, end, bookmark }: Ticking): NodeJS.Timeout {
  let ticks = 0
  const tick = setInterval(() => {
    const now = clock.now()
    const probes = ++ticks % probeTicks === 0
    for (const watcher of all) {
      if (now >= watcher.endsAt) end(watcher)
      else if (now >= watcher.expiresAt) void recheckOwners([watcher], end)
      else if (watcher.joined && now - watcher.sentAt >= bookmarkMs) bookmark(watcher)
      if (probes) watcher.wire.probe()
    }
  }, tickMs)
  return tick.unref()
}

async function inTurns(changes: readonly Change[], send: (change: Change) => void): Promise<void> {
  let bytes = 0
  for (const change of changes) {
    send(change)
    bytes += change.object.data.length
    if (bytes < turnBytes) continue
    bytes = 0
    await nextTurn()
  }
}

function draining(): ApiError {
  return new ApiError('Draining', 'the server is stopping; reconnect and resume from the last revision')
}

/** Most readers are at the same position and get the same bytes. */
function createBookmarks(positionNow: () => LogPosition): (watcher: Watcher) => void {
  let made: { readonly position: LogPosition; readonly frame: Frame } | undefined
  return (watcher) => {
    if (!watcher.joined) return
    const position = positionNow()
    if (watcher.ahead.size > 0 || watcher.position.number > position.number) {
      return sendTo(watcher, bookmarkFrame(revisionOf(watcher)))
    }
    watcher.position = position
    if (made?.position !== position)
      made = { position, frame: bookmarkFrame(encodeRevision({ ...position, skipped: [] })) }
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
