import type { Call } from '../base/call.ts'
import type { Frame, Wire } from '../base/wire.ts'
import { encodeRevision } from '../store/revision.ts'
import type { Change, Place } from '../store/store.ts'
import type { Selection } from './selection.ts'

/** Every stream ends after a while between these, so that readers spread over the replicas there are. */
export const ageMs = { least: 30 * 60_000, most: 60 * 60_000 }

/** Who asked for a watch, and whether it still may have it. */
export interface Standing {
  readonly user: string | undefined
  readonly uid: string | undefined
  readonly recheck: Call['recheck']
}

export function standingOf({ caller, recheck }: Pick<Call, 'caller' | 'recheck'>): Standing {
  const { name, uid } = caller.kind === 'user' ? caller : {}
  return { user: name, uid, recheck }
}

/** One reader of changes. */
export interface Watcher {
  selection: Selection
  readonly wire: Wire
  readonly standing: Standing
  readonly request: { readonly instance: string; readonly requestId: string }
  /** Reads on from its place by itself, until it can join the others again. */
  readonly catchUp: () => void
  /** Everything up to here was sent, or is none of its affair. */
  place: Place
  /** What its list showed before it had a place, by id. */
  ahead: Set<string>
  /** Whether the present objects were sent with a change in them already; while they are being caught up with. */
  shown: ((change: Change) => boolean) | undefined
  /** Whether it may be told places to go on from: not before all present objects are out. */
  hasPlace: boolean
  /** Gets changes as they come, with everybody. */
  joined: boolean
  expiresAt: number
  readonly endsAt: number
  sentAt: number
  ended: boolean
}

/** Of the many who have seen nothing ahead of their place. */
export const nothingAhead: Set<string> = new Set()

/** Whether the reader does not have the change yet; moves it on. */
export function isNews(watcher: Watcher, change: Change): boolean {
  const { place, id } = change
  if (place.number <= watcher.place.number) return false
  watcher.place = place
  const wasAhead = watcher.ahead.size > 0 && watcher.ahead.delete(id)
  return watcher.shown ? !watcher.shown(change) : !wasAhead
}

/** Where the reader goes on from. */
export function revisionOf({ place, ahead }: Watcher): string {
  return encodeRevision({ ...place, skipped: [...ahead] })
}

export function sendTo(watcher: Watcher, frame: Frame): void {
  watcher.wire.send(frame)
  watcher.sentAt = Date.now()
}
