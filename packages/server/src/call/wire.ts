import type { Reason } from '@pergola/api'

/** One message of a stream, serialized once for all readers. */
export interface Frame {
  /** The revision from which a reader can continue; undefined until there is one. */
  readonly revision: string | undefined
  /** JSON without a line break, in parts. */
  readonly json: readonly Buffer[]
}

/** The connection to one reader of a stream. */
export interface Wire {
  readonly closed: boolean
  /** Bytes waiting behind the frame being sent. */
  readonly waiting: number
  send(frame: Frame): void
  /** Resolves when everything sent has left, or the connection is closed. */
  drained(): Promise<void>
  /** Closes after everything was sent; after a while even if the reader does not receive it. */
  close(why?: Reason): void
  /** Closes if the peer has not answered since the last call, where the protocol has pings. */
  probe(): void
}

/** A long-lived answer. */
export interface Stream {
  /** Called once the client knows that the stream begins. */
  open(wire: Wire): void
  /** Called once when the stream is over, even if it never began. */
  closed(): void
}
