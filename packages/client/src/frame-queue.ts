/** What may wait: so many frames, of so many characters in all. One frame always may, whatever its length. */
export const queueBounds = { frames: 1_000, characters: 4 * 1024 * 1024 }

/** Frames between a connection that cannot be slowed and a reader that takes its time. */
export interface FrameQueue extends AsyncIterable<string> {
  /** False when there is no room; the frame is not taken then. */
  push(frame: string): boolean
  /** Ends the reading behind what waits, with the error when there is one. The first end counts. */
  end(error?: Error): void
}

export function createFrameQueue(bounds: typeof queueBounds = queueBounds): FrameQueue {
  const waiting: string[] = []
  let frames = 0
  let characters = 0
  let ended: { readonly error: Error | undefined } | undefined
  let wake: (() => void) | undefined
  return {
    push: (frame) => {
      if (ended) return false
      if (frames > 0 && (frames >= bounds.frames || characters + frame.length > bounds.characters)) return false
      waiting.push(frame)
      frames++
      characters += frame.length
      wake?.()
      return true
    },
    end: (error) => {
      ended ??= { error }
      wake?.()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        // All at once: shifting one by one would move the rest each time.
        const taken = waiting.splice(0)
        for (const frame of taken) {
          frames--
          characters -= frame.length
          yield frame
        }
        if (waiting.length > 0) continue
        if (ended?.error) throw ended.error
        if (ended) return
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}
