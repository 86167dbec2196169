import type { Batch, ModelClient } from '@pergola/client'
import type { Duration } from './duration.ts'
import type { Upgrade } from './route/plugin-socket.ts'
import type { Settings } from './settings.ts'

/** Context of all plugin code. */
export interface PluginContext {
  /** Client with the plugin's own rights. */
  readonly client: ModelClient
  /**
   * Writes up to 100 objects in one transaction with the plugin's own rights: all operations are stored, or none. Returns the
   * objects in the order of the operations.
   */
  readonly batch: Batch
  /**
   * Runs `run` in one process of the plugin at a time, across all replicas. Throws `InUse` when the lease is not obtained in
   * time. Names are shared with controllers and schedules.
   */
  readonly lease: Lease
  readonly clock: Clock
  /**
   * Current settings, with defaults filled in: `settings(Settings)`. Throws `Unavailable` while a required setting is missing.
   */
  readonly settings: <Value>(settings: Settings<Value, unknown>) => Value
  /** Aborted when the plugin stops, the lease passes to another replica, or the caller disconnects. */
  readonly signal: AbortSignal
}

/** Context of code that answers a request. */
export interface CallContext extends PluginContext {
  readonly caller: Caller
  /**
   * Accepts a WebSocket: `return upgrade(async (socket) => { ... })`. Throws a 400 when the request is not a WebSocket
   * handshake.
   */
  readonly upgrade: Upgrade
}

export type Lease = <Result>(
  name: string,
  run: (held: HeldLease) => Promise<Result>,
  options?: LeaseOptions,
) => Promise<Result>

export interface LeaseOptions {
  /** How long to wait for the lease; `10s` by default. */
  readonly wait?: Duration
}

/** What code may use while it holds a lease. */
export interface HeldLease extends Pick<PluginContext, 'client' | 'batch'> {
  /** Also aborted when the lease is lost; the writes of `client` and `batch` are then rejected with `FenceLost`. */
  readonly signal: AbortSignal
  /** Fencing token: increases whenever another process takes over. Use it for the same in external systems. */
  readonly term: number
}

/** The plugin's clock. Tests control it with `advance`. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Current time as an RFC 3339 string in UTC. */
  iso(): string
}

/** The caller of a request. */
export interface Caller {
  /** User name; undefined for an anonymous caller. */
  readonly name: string | undefined
  /** Client limited to rights that both the caller and the plugin have: nobody gains rights through the plugin. */
  readonly client: ModelClient
  /** Writes several objects in one transaction, with the rights of `client`. */
  readonly batch: Batch
}
