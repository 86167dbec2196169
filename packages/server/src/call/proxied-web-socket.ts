import type { Duplex, Readable } from 'node:stream'

/** A WebSocket that a plugin answers: bytes pass unchanged in both directions. */
export interface ProxiedWebSocket {
  /** Asks the plugin; rejects with the error for the client. The signal aborts when the client has disconnected. */
  ask(signal: AbortSignal): Promise<Accepted | Declined>
  /** Called once the connection is open, with a function that closes it from our side. */
  opened(close: (why: Closing) => void): void
}

/** The other side accepts the WebSocket. */
export interface Accepted {
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly connection: Duplex
  /** Bytes that came with the answer. */
  readonly head: Buffer
  /** The close reason for the client when the other side's connection was lost. */
  readonly lost: () => Closing
}

/** An ordinary answer instead of a WebSocket. */
export interface Declined {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Readable
}

/** Why a WebSocket is closed, as codes of its protocol (RFC 6455, 7.4). */
export interface Closing {
  readonly code: number
  /** At most 123 bytes. */
  readonly reason: string
}
