/** Bounds of the queue: number of frames and total characters. A single frame of any length is accepted. */
export const queueBounds = { frames: 1_000, characters: 4 * 1024 * 1024 }

/** Buffers frames between a connection without backpressure and its reader. */
export interface FrameQueue extends AsyncIterable<string> {
  /** Returns false and drops the frame when the queue is full. */
  push(frame: string): boolean
  /** Ends iteration after the queued frames, with the error if given. Later calls have no effect. */
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
        // Takes all frames at once, because `shift` moves the remaining ones each time.
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
