import type { ModelClient } from '@pergola/client'
import type { Upgrade } from './route/plugin-socket.ts'
import type { Settings } from './settings.ts'

/** Context of all plugin code. */
export interface PluginContext {
  /** Client with the plugin's own rights. */
  readonly client: ModelClient
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
}
