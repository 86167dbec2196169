/** Two bytes, eight of a length, four of a mask. */
const longestHeader = 14
const closeFrame = 0x8

/**
 * Tracks where WebSocket frames begin and end in a byte stream, without reading their content. A close frame from the host must
 * not be inserted into the middle of another frame.
 */
export class FrameBorders {
  readonly #header = Buffer.alloc(longestHeader)
  #have = 0
  /** Remaining bytes of the current frame after its header. */
  #left = 0
  #hasClosed = false

  /** Whether a frame may be inserted here. */
  get isAtBorder(): boolean {
    return this.#have === 0 && this.#left === 0
  }

  /** Whether the sender has sent a close frame. */
  get hasClosed(): boolean {
    return this.#hasClosed
  }

  take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#left > 0) {
        const passed = Math.min(this.#left, chunk.length - at)
        this.#left -= passed
        at += passed
        continue
      }
      this.#header[this.#have++] = chunk[at++] ?? 0
      if (this.#have >= this.#headerLength()) this.#begin()
    }
  }

  #headerLength(): number {
    if (this.#have < 2) return 2
    const second = this.#header[1] ?? 0
    const length = second & 0x7f
    const extended = length === 127 ? 8 : length === 126 ? 2 : 0
    return 2 + extended + (second & 0x80 ? 4 : 0)
  }

  #begin(): void {
    const [first = 0, second = 0] = this.#header
    const length = second & 0x7f
    if (length === 127) this.#left = Number(this.#header.readBigUInt64BE(2))
    else this.#left = length === 126 ? this.#header.readUInt16BE(2) : length
    this.#hasClosed ||= (first & 0x0f) === closeFrame
    this.#have = 0
  }
}
