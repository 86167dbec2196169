import { createPause } from '../base/pause.ts'
import { encodeRevision } from '../store/revision.ts'
import type { Change, Store } from '../store/store.ts'
import { offer } from './deliver.ts'
import { bookmarkFrame } from './frames.ts'
import { pauseBytes, type Behind } from './initial-objects.ts'
import type { Turns } from './turns.ts'
import type { WatchHub } from './watch-hub.ts'
import { revisionOf, sendTo, type Watcher } from './watcher.ts'

const batch = 500
const batchBytes = 1024 * 1024
/** How long what a list showed ahead of its place is waited for, to be rid of it. */
const aheadMs = 2_000
/** After so long without a word a reader gets one. */
const aliveMs = 5_000

export interface CatchUpParts {
  readonly store: Store
  readonly hub: WatchHub
  /** So many read the log at a time. */
  readonly reading: Turns
}

/**
 * Sends what happened since the watcher's place, no faster than its reader takes it, until it has come to where everybody
 * is; then it joins them.
 */
export async function catchUp(parts: CatchUpParts, watcher: Watcher, { upTo, unsettled }: Behind): Promise<void> {
  const { hub } = parts
  const { wire } = watcher
  const pause = createPause()
  const deadline = performance.now() + aheadMs
  while (!watcher.ended) {
    const changes = hub.feed.recent(watcher.place) ?? (await readLog(parts, watcher))
    for (const change of changes) {
      offer(watcher, change)
      if (wire.waiting > pauseBytes) await wire.drained()
    }
    if (changes.length > 0) {
      keepAlive(watcher)
      await pause()
      continue
    }
    // From here to joining nothing is waited for: what came meanwhile would be missed.
    const isThere = watcher.place.number >= upTo && watcher.place.number >= hub.feed.place.number
    const isSettled = !unsettled.some((id) => watcher.ahead.has(id))
    if (isThere && isSettled && (watcher.ahead.size === 0 || performance.now() > deadline)) return hub.join(watcher)
    await hub.nextChanges(100)
  }
}

/** A long stretch without anything for the reader must not look like a dead connection. */
function keepAlive(watcher: Watcher): void {
  if (!watcher.hasPlace || Date.now() - watcher.sentAt < aliveMs) return
  sendTo(watcher, bookmarkFrame(revisionOf(watcher)))
}

function readLog({ store, reading }: CatchUpParts, { place }: Watcher): Promise<readonly Change[]> {
  return reading.take(async () => {
    const after = encodeRevision({ ...place, skipped: [] })
    const { changes } = await store.readChanges(after, { limit: batch, maxBytes: batchBytes, waitMs: 0 })
    return changes
  })
}
