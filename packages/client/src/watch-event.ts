import type { ApiObject } from '@pergola/api'

/** A change of an object, or an event about the watch itself. */
export type WatchEvent<Stored extends ApiObject> = ObjectEvent<Stored> | Bookmark | Restarted

export interface ObjectEvent<Stored extends ApiObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** Revision to resume from; absent while the existing objects arrive. */
  readonly revision?: string
  /** The stored object; for `DELETED`, its last state. */
  readonly object: Stored
}

/**
 * Every change up to this revision has been delivered. The first bookmark after the existing objects means that all of them
 * have arrived.
 */
export interface Bookmark {
  readonly type: 'BOOKMARK'
  readonly revision: string
}

/**
 * The connection broke before the watch had a revision to resume from. With `initial`, the existing objects are delivered
 * again, and objects that are not delivered again no longer exist. Without it, changes may have been missed.
 */
export interface Restarted {
  readonly type: 'RESTARTED'
}

/** A frame as sent over the wire. */
export interface Frame {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly revision?: string
  readonly object?: unknown
}
