import type { Readable, Writable } from 'node:stream'
import type { Passage } from './passage.ts'

/** An answer that somebody else gives: bodies go through as they come, in both directions. */
export interface Relay {
  /** Rejects with what the client is to be told, as long as the answer has not begun; ends when the client has gone. */
  relay(exchange: Exchange): Promise<void>
  /** The same, for a client that goes on as a WebSocket; absent where nothing goes on. */
  readonly passage?: Passage
}

export interface Exchange {
  /** The body of the request as it comes; undefined when there is none. More than `limit` bytes fail it. */
  readonly body: (limit: number) => Readable | undefined
  /** Begins the answer; its body is written to what this gives back. */
  readonly begin: (status: number, headers: Readonly<Record<string, string | string[]>>) => Writable
  /** Calls when the client goes before it has everything; at once when it has. */
  readonly whenGone: (stop: () => void) => void
}
