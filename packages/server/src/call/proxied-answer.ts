import type { Readable, Writable } from 'node:stream'
import type { ProxiedWebSocket } from './proxied-web-socket.ts'

/** An answer that a plugin gives: bodies are streamed in both directions. */
export interface ProxiedAnswer {
  /** Rejects with the error for the client, as long as the answer has not begun; ends when the client has disconnected. */
  proxy(exchange: ProxyExchange): Promise<void>
  /** The same for a WebSocket; absent where none is supported. */
  readonly webSocket?: ProxiedWebSocket
}

export interface ProxyExchange {
  /** The request body as a stream; undefined when there is none. Fails beyond `limit` bytes. */
  readonly body: (limit: number) => Readable | undefined
  /** Begins the answer; its body is written to the returned stream. */
  readonly begin: (status: number, headers: Readonly<Record<string, string | string[]>>) => Writable
  /** Calls `stop` when the client disconnects before it has everything; at once if it already has. */
  readonly whenGone: (stop: () => void) => void
}
