import type { Readable, Writable } from 'node:stream'
import type { Passage } from './passage.ts'

/** An answer that a plugin gives: bodies are streamed in both directions. */
export interface Relay {
  /** Rejects with the error for the client, as long as the answer has not begun; ends when the client has disconnected. */
  relay(exchange: Exchange): Promise<void>
  /** The same for a WebSocket; absent where none is supported. */
  readonly passage?: Passage
}

export interface Exchange {
  /** The request body as a stream; undefined when there is none. Fails beyond `limit` bytes. */
  readonly body: (limit: number) => Readable | undefined
  /** Begins the answer; its body is written to the returned stream. */
  readonly begin: (status: number, headers: Readonly<Record<string, string | string[]>>) => Writable
  /** Calls `stop` when the client disconnects before it has everything; at once if it already has. */
  readonly whenGone: (stop: () => void) => void
}
