import type { Reason } from '@pergola/api'

/** One message of a stream, made once for all who get it. */
export interface Frame {
  /** Where its reader goes on from; none before there is such a place. */
  readonly revision: string | undefined
  /** JSON without a line break, in parts. */
  readonly json: readonly Buffer[]
}

/** The way to one reader of a stream. */
export interface Wire {
  readonly closed: boolean
  /** Bytes that wait behind the frame that is leaving. */
  readonly waiting: number
  send(frame: Frame): void
  /** Resolves when everything sent has left, or nothing can leave any more. */
  drained(): Promise<void>
  /** Closes behind what was sent; after a while also when its reader does not take it. */
  close(why?: Reason): void
  /** Closes when nobody has answered since it was last called, where the protocol can tell. */
  probe(): void
}

/** An answer that goes on. */
export interface Stream {
  /** Once the client has been told that it begins. */
  open(wire: Wire): void
  /** Once, when it is over; also when it never began. */
  closed(): void
}
