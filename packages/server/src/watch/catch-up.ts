import { createPause } from '../base/pause.ts'
import { encodeRevision } from '../store/revision.ts'
import type { Change, Store } from '../store/store.ts'
import { offer } from './deliver.ts'
import { bookmarkFrame } from './frames.ts'
import { pauseBytes, type Behind } from './initial-objects.ts'
import type { Turns } from '../base/turns.ts'
import type { WatchHub } from './watch-hub.ts'
import { revisionOf, sendTo, type Watcher } from './watcher.ts'

const batch = 500
const batchBytes = 1024 * 1024
/** How long to wait for the changes that a list showed ahead of its position, so that they need not be tracked any more. */
const aheadMs = 2_000
/** After this long without an event the reader gets a bookmark. */
const aliveMs = 5_000

export interface CatchUpParts {
  readonly store: Store
  readonly hub: WatchHub
  /** Limits concurrent reads of the log. */
  readonly reading: Turns
}

/**
 * Sends the changes since the watcher's position, no faster than its reader consumes them, until it has reached the feed; then the
 * watcher joins the others.
 */
export async function catchUp(parts: CatchUpParts, watcher: Watcher, { upTo, unsettled }: Behind): Promise<void> {
  const { hub } = parts
  const { wire } = watcher
  const pause = createPause()
  const deadline = performance.now() + aheadMs
  while (!watcher.ended) {
    const changes = hub.feed.recent(watcher.position) ?? (await readLog(parts, watcher))
    for (const change of changes) {
      offer(watcher, change)
      if (wire.waiting > pauseBytes) await wire.drained()
    }
    if (changes.length > 0) {
      keepAlive(watcher)
      await pause()
      continue
    }
    // Do not await between here and the join: changes arriving meanwhile would be missed.
    const isThere = watcher.position.number >= upTo && watcher.position.number >= hub.feed.position.number
    const isSettled = !unsettled.some((id) => watcher.ahead.has(id))
    if (isThere && isSettled && (watcher.ahead.size === 0 || performance.now() > deadline)) return hub.join(watcher)
    await hub.nextChanges(100)
  }
}

/** Sends bookmarks, so that a long period without events does not look like a dead connection. */
function keepAlive(watcher: Watcher): void {
  if (!watcher.hasPosition || Date.now() - watcher.sentAt < aliveMs) return
  sendTo(watcher, bookmarkFrame(revisionOf(watcher)))
}

function readLog({ store, reading }: CatchUpParts, { position }: Watcher): Promise<readonly Change[]> {
  return reading.run(async () => {
    const after = encodeRevision({ ...position, skipped: [] })
    const { changes } = await store.readChanges(after, { limit: batch, maxBytes: batchBytes, waitMs: 0 })
    return changes
  })
}
