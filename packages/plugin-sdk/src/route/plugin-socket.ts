/** An open WebSocket. Iterating it yields messages and ends when the client closes it or the plugin stops. */
export interface PluginSocket extends AsyncIterable<string | Uint8Array> {
  /** Negotiated sub-protocol; empty when there is none. */
  readonly protocol: string
  /** Resolves when more can be sent, which gives backpressure. Does nothing once the socket is closed. */
  send(message: string | Uint8Array): Promise<void>
  /** Default code 1000. Codes from 4000 on are free for the plugin. */
  close(code?: number, reason?: string): void
}

export interface UpgradeOptions {
  /**
   * Supported sub-protocols in order of preference; the first that the client offers is used. A client that offers only others
   * gets a 400.
   */
  readonly protocols?: readonly string[]
  /** Maximum size of a received message in bytes; default 1 MiB. */
  readonly maxMessage?: number
}

/** Accepts the WebSocket and calls `talk`. Closes it when `talk` ends, with code 1011 when it throws. */
export type Upgrade = (talk: (socket: PluginSocket) => Promise<void>, options?: UpgradeOptions) => Response
