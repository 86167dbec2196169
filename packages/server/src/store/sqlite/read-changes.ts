import type { ChangeBatch, ReadChangesOptions, Revision } from '../store.ts'
import type { ChangeLog } from './changes.ts'

/** Readers that wait for the log to grow. All writes go through this process, so no polling is needed. */
export interface LogReaders {
  readChanges(after: Revision, options: ReadChangesOptions): Promise<ChangeBatch>
  /** Call after a commit. */
  wake(): void
  /** Ends all waits; readers get what is there. */
  close(): void
}

export function createLogReaders(log: ChangeLog): LogReaders {
  const waiting = new Set<() => void>()
  let closed = false
  const wake = () => {
    for (const done of waiting) done()
  }
  const nextWake = (waitMs: number, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        waiting.delete(done)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, waitMs)
      waiting.add(done)
      signal?.addEventListener('abort', done)
    })
  return {
    readChanges: async (after, { waitMs, signal, ...options }) => {
      const deadline = performance.now() + waitMs
      for (;;) {
        const batch = log.read(after, options)
        const left = deadline - performance.now()
        if (batch.changes.length > 0 || left <= 0 || signal?.aborted) return batch
        await nextWake(left, signal)
        if (closed) return batch
      }
    },
    wake,
    close: () => {
      closed = true
      wake()
    },
  }
}
