/** A WebSocket of somebody who asked for one. Reading it ends when the other side closes it, or the plugin stops. */
export interface PluginSocket extends AsyncIterable<string | Uint8Array> {
  /** What both sides have agreed to speak; empty when that is nothing in particular. */
  readonly protocol: string
  /** Resolves when there is room for more, so that nobody is sent faster than it reads; nothing happens once it is closed. */
  send(message: string | Uint8Array): Promise<void>
  /** 1000 unless it is said; from 4000 on, codes are the plugin's own. */
  close(code?: number, reason?: string): void
}

export interface UpgradeOptions {
  /** Sub-protocols, the dearest first: one that the client offers is agreed on. Who offers others alone is answered 400. */
  readonly protocols?: readonly string[]
  /** Of one message, in bytes: 1 MiB unless it is said. */
  readonly maxMessage?: number
}

/** The socket is closed when `talk` ends; when it fails, with 1011. */
export type Upgrade = (talk: (socket: PluginSocket) => Promise<void>, options?: UpgradeOptions) => Response
