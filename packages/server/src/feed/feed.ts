import type { Change, LogPosition } from '../store/store.ts'

/**
 * The changes of all models as they are committed on any replica: one reader for the whole process. The transport is an
 * implementation detail.
 */
export interface Feed extends Disposable {
  /** Begins at the newest position of the log; subscribers from before receive everything from there on. */
  start(): Promise<void>
  /** The position after everything that was handed out. */
  readonly position: LogPosition
  /**
   * The changes after a position, oldest first, if they are in memory; undefined when they must be read from the log. Throws
   * `RevisionExpired` for a position that this history never had.
   */
  recent(after: LogPosition): readonly Change[] | undefined
  /** Whether everything committed up to a moment ago was handed out. */
  isCurrent(): boolean
  /** Milliseconds since it was last proven that everything committed was handed out. */
  lagMs(): number
  /** Starts with the next batch. Each subscriber is awaited. */
  subscribe(stage: FeedStage, subscriber: FeedSubscriber): Disposable
}

/**
 * `caches` decide who may see what: roles, credentials, plugins. All of them have taken a batch before `delivery` begins, so that
 * nobody receives a change that was committed after their right to it was revoked.
 */
export type FeedStage = 'caches' | 'delivery'

export interface FeedSubscriber {
  /** In order, each change once. Must not throw. */
  readonly onChanges: (changes: readonly Change[]) => void | Promise<void>
  /** Changes were missed: the feed continues from another position. Must not throw. */
  readonly onLost: () => void | Promise<void>
}
