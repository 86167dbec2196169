import type { Call } from '../call/call.ts'
import type { Frame, Wire } from '../call/wire.ts'
import { encodeRevision } from '../store/revision.ts'
import type { Change, LogPosition } from '../store/store.ts'
import type { Selection } from './selection.ts'

/** Every stream ends after a random time in this range, so that readers spread over the current replicas. */
export const ageMs = { least: 30 * 60_000, most: 60 * 60_000 }

/** The caller of a watch, and the check whether it is still authorized. */
export interface StreamOwner {
  readonly user: string | undefined
  readonly uid: string | undefined
  readonly recheck: Call['recheck']
}

export function streamOwnerOf({ caller, recheck }: Pick<Call, 'caller' | 'recheck'>): StreamOwner {
  const { name, uid } = caller.kind === 'user' ? caller : {}
  return { user: name, uid, recheck }
}

/** One reader of changes. */
export interface Watcher {
  selection: Selection
  readonly wire: Wire
  readonly owner: StreamOwner
  readonly request: { readonly instance: string; readonly requestId: string }
  /** Reads from its position on its own until it can join the others again. */
  readonly catchUp: () => void
  /** All changes up to here were sent or do not concern it. */
  position: LogPosition
  /** Ids of changes that its list showed before they had a position. */
  ahead: Set<string>
  /** Whether the present objects already included a change; set while catching up with them. */
  shown: ((change: Change) => boolean) | undefined
  /** Whether revisions may be sent: only after all present objects were sent. */
  hasPosition: boolean
  /** Receives changes from the feed, together with the others. */
  joined: boolean
  expiresAt: number
  readonly endsAt: number
  sentAt: number
  ended: boolean
}

/** Shared by the many watchers that have nothing ahead of their position. */
export const noListedChanges: Set<string> = new Set()

/** Whether the watcher has not seen the change yet; advances its position. */
export function isNews(watcher: Watcher, change: Change): boolean {
  const { position, id } = change
  if (position.number <= watcher.position.number) return false
  watcher.position = position
  const wasAhead = watcher.ahead.size > 0 && watcher.ahead.delete(id)
  return watcher.shown ? !watcher.shown(change) : !wasAhead
}

/** The revision from which the reader can continue. */
export function revisionOf({ position, ahead }: Watcher): string {
  return encodeRevision({ ...position, skipped: [...ahead] })
}

export function sendTo(watcher: Watcher, frame: Frame): void {
  watcher.wire.send(frame)
  watcher.sentAt = Date.now()
}
