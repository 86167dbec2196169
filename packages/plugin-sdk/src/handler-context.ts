import type { ModelClient } from '@pergola/client'
import type { Upgrade } from './route/plugin-socket.ts'
import type { Settings } from './settings.ts'

/** What all code of a plugin is given. */
export interface PluginContext {
  /** With the plugin's own rights. */
  readonly client: ModelClient
  readonly clock: Clock
  /** As they are now: `settings(Settings)`. */
  readonly settings: <Value>(settings: Settings<Value, unknown>) => Value
  /** Aborted when the plugin stops, the lease passes to another replica, or whoever asked is gone. */
  readonly signal: AbortSignal
}

/** What code is given that answers somebody. */
export interface CallContext extends PluginContext {
  readonly caller: Caller
  /** Goes on with a request as a WebSocket: `return upgrade(async (socket) => { ... })`. 400 for one that asks for none. */
  readonly upgrade: Upgrade
}

/** Tests move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Now, as objects write it. */
  iso(): string
}

/** Who made a request. */
export interface Caller {
  /** Undefined for somebody who has not signed in. */
  readonly name: string | undefined
  /** With what both the caller and the plugin may do: nobody gets more through the plugin than without it. */
  readonly client: ModelClient
}
