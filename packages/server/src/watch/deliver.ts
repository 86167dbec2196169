import { ApiError } from '@pergola/api'
import type { Frame } from '../call/wire.ts'
import { keyOf } from '../store/model-table.ts'
import type { Change } from '../store/store.ts'
import { eventFrame } from './frames.ts'
import { eventOf, type EventType } from './selection.ts'
import { isNews, revisionOf, sendTo, type Watcher } from './watcher.ts'
import type { WatcherGroup, WatcherIndex } from './watcher-index.ts'

/** A reader with more bytes than this waiting, behind the frame being sent, is too slow. */
export const mostWaiting = 1024 * 1024

export interface DeliveryParts {
  readonly index: WatcherIndex<Watcher>
  readonly end: (watcher: Watcher, error: unknown) => void
}

/** Sends a change to all watchers that select it; each kind of event is serialized once. */
export function deliver({ index, end }: DeliveryParts, change: Change): void {
  const frames = new Map<EventType, Frame>()
  for (const group of index.near(change)) {
    const { selection, watchers } = group
    try {
      const type = eventOf(selection, change)
      if (!type) continue
      const frame = frames.get(type) ?? eventFrame({ ...change, type, model: selection.model })
      frames.set(type, frame)
      sendToGroup(group, { change, type, frame }, end)
    } catch (error) {
      for (const watcher of watchers) end(watcher, error)
    }
  }
}

/** Sends a change that was read for one watcher, if it selects the change. */
export function offer(watcher: Watcher, change: Change): void {
  if (watcher.ended || !isNews(watcher, change) || keyOf(watcher.selection.model) !== keyOf(change.model)) return
  const type = eventOf(watcher.selection, change)
  if (type) sendTo(watcher, ownFrame(watcher, type, change))
}

interface Event {
  readonly change: Change
  readonly type: EventType
  readonly frame: Frame
}

function sendToGroup(
  { watchers }: WatcherGroup<Watcher>,
  { change, type, frame }: Event,
  end: DeliveryParts['end'],
): void {
  for (const watcher of watchers) {
    if (!isNews(watcher, change)) continue
    sendTo(watcher, watcher.ahead.size === 0 ? frame : ownFrame(watcher, type, change))
    if (watcher.wire.waiting > mostWaiting) end(watcher, tooSlow(watcher))
  }
}

/** Carries the watcher's own revision: it has none yet, or still waits for changes that it has already shown. */
function ownFrame(watcher: Watcher, type: EventType, { object }: Change): Frame {
  const revision = watcher.hasPosition ? { revision: revisionOf(watcher) } : {}
  return eventFrame({ type, model: watcher.selection.model, object, ...revision })
}

function tooSlow({ selection }: Watcher): ApiError {
  return new ApiError(
    'TooManyRequests',
    `you read ${selection.model.plural} more slowly than they change; resume from the last revision, or select fewer`,
    { headers: { 'retry-after': '1' } },
  )
}
