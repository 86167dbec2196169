import type { Duplex, Readable } from 'node:stream'

/** A WebSocket that somebody else answers: its bytes go through as they come, in both directions. */
export interface Passage {
  /** Asks whoever answers; rejects with what the client is to be told. The signal says that the client has gone. */
  ask(signal: AbortSignal): Promise<Accepted | Declined>
  /** Once something was answered: what ends it from our side. */
  opened(close: (why: Closing) => void): void
}

/** The other side goes on as a WebSocket. */
export interface Accepted {
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly connection: Duplex
  /** What has come with the answer already. */
  readonly head: Buffer
  /** What the client is told when the other side has gone without a word. */
  readonly lost: () => Closing
}

/** An ordinary answer in its place. */
export interface Declined {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Readable
}

/** Why a WebSocket is closed, in the numbers of its protocol (RFC 6455, 7.4). */
export interface Closing {
  readonly code: number
  /** At most 123 bytes. */
  readonly reason: string
}

/** Come again, here or elsewhere. */
export const goingAway = 1001
/** What is going on is not allowed any more. */
export const notAllowed = 1008
/** Something broke on our side. */
export const failed = 1011
