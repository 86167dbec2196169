import type { Change, Place } from '../store/store.ts'

/**
 * The changes of all models as they are committed, whoever does it: one reading for everybody in this process. How they
 * come here is the transport's affair.
 */
export interface Feed extends Disposable {
  /** The place behind everything that was handed out. */
  readonly place: Place
  /**
   * What lies behind a place, oldest first, as far as it is at hand; undefined when it has to be read from the log. Throws
   * `RevisionExpired` for a place that this history never had.
   */
  recent(after: Place): readonly Change[] | undefined
  /** Whether everything up to a moment ago was handed out. */
  isCurrent(): boolean
  /** From the next batch on. Those who came first are served first, and each is waited for. */
  subscribe(subscriber: FeedSubscriber): Disposable
}

export interface FeedSubscriber {
  /** In order, each once. Must not throw. */
  readonly onChanges: (changes: readonly Change[]) => void | Promise<void>
  /** Changes were missed: the feed goes on from another place. Must not throw. */
  readonly onLost: () => void | Promise<void>
}
