import type { ApiObject } from '@pergola/api'

/** A change, or a word about the watch itself. */
export type WatchEvent<Stored extends ApiObject> = ObjectEvent<Stored> | Bookmark | Restarted

export interface ObjectEvent<Stored extends ApiObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** Where a watch can go on from; none while the present objects come. */
  readonly revision?: string
  /** As stored; what is deleted, as it last was. */
  readonly object: Stored
}

/** Everything up to this place has come; the first one behind the present objects says that they are all there. */
export interface Bookmark {
  readonly type: 'BOOKMARK'
  readonly revision: string
}

/**
 * The connection was lost before there was a place to go on from. With `initial`, the present objects come once more from
 * the beginning, and those that came before and do not come again are gone; otherwise changes may have been missed.
 */
export interface Restarted {
  readonly type: 'RESTARTED'
}

/** As it is on the wire. */
export interface Frame {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly revision?: string
  readonly object?: unknown
}
