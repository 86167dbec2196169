import type { Duplex } from 'node:stream'

const nothing = Buffer.alloc(0)

/**
 * The bytes written to a connection that have not left yet. Asks the connection itself: it knows at once what the system has
 * accepted, while its callbacks run later, when much more may have been written.
 */
export class ConnectionQueue {
  readonly #connection: Duplex
  /** Sizes of the frames that may not have left, oldest first. */
  readonly #sizes: number[] = []
  #total = 0

  constructor(connection: Duplex) {
    this.#connection = connection
  }

  /** Bytes behind the frame being sent. */
  get waiting(): number {
    const left = this.#connection.writableLength
    while (this.#sizes.length > 0 && this.#total - (this.#sizes[0] ?? 0) >= left)
      this.#total -= this.#sizes.shift() ?? 0
    return Math.max(0, left - (this.#sizes[0] ?? 0))
  }

  write(bytes: Buffer): void {
    if (this.#connection.writableLength === 0) this.#forget()
    this.#connection.write(bytes)
    this.#sizes.push(bytes.length)
    this.#total += bytes.length
  }

  /** Resolves when everything has left, or the connection is closed. */
  drained(): Promise<void> {
    const connection = this.#connection
    if (connection.writableLength === 0 || connection.destroyed || connection.writableEnded) return Promise.resolve()
    return new Promise((resolve) => connection.write(nothing, () => resolve()))
  }

  #forget(): void {
    this.#sizes.length = 0
    this.#total = 0
  }
}
