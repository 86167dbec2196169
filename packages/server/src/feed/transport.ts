import type { Log } from '../base/log.ts'
import type { NatsAddress } from '../config/nats-address.ts'
import type { Store } from '../store/store.ts'
import type { Feed } from './feed.ts'

/** What `@pergola/feed-nats` is made with, and must export. It has the version of the server: nothing here is for others. */
export { createTurns } from '../base/turns.ts'
export { counter, gauge } from '../base/metrics.ts'
export type { Log } from '../base/log.ts'
export type { NatsAddress } from '../config/nats-address.ts'
export { isFullBatch } from '../store/is-full-batch.ts'
export { readFeedKey } from '../store/records/feed-keys.ts'
export { encodeRevision } from '../store/revision.ts'
export type { Change, Lease, PackedChange, PackedLog, LogPosition, Revision, Store } from '../store/store.ts'
export { createHandingOut, ifExpired, positionOf, type HandingOut } from './handing-out.ts'
export { readOn } from './read-on.ts'
export type { Feed } from './feed.ts'

/** The operator's settings of the stream that carries changes. */
export interface StreamSettings {
  /** Name of the stream, and prefix of every subject. */
  readonly name: string
  /** The number of servers that store it. */
  readonly replicas: number
  readonly maxAgeSeconds: number
  readonly maxBytes: number
}

export interface NatsFeedOptions {
  readonly store: Store
  readonly log: Log
  readonly address: NatsAddress
  readonly stream: StreamSettings
}

export interface NatsFeed extends Feed, AsyncDisposable {
  /** For people: by which way changes come now. */
  state(): string
}

export interface NatsFeedPackage {
  createNatsFeed(options: NatsFeedOptions): NatsFeed
}
