import { ApiError } from '@pergola/api'

/** Serializes work of the same kind; different kinds do not wait for each other. */
export interface OneAtATime {
  /** Throws `TooManyRequests` when too many are waiting already. */
  run<T>(kind: string, work: () => Promise<T>): Promise<T>
}

export function createOneAtATime(mostWaiting: number): OneAtATime {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>()
  return {
    run: async (kind, work) => {
      const line = lines.get(kind) ?? { last: Promise.resolve(), length: 0 }
      if (line.length > mostWaiting) {
        throw new ApiError('TooManyRequests', `${mostWaiting} requests of this kind are queued already; retry later`, {
          params: { limit: mostWaiting },
          headers: { 'retry-after': '1' },
        })
      }
      lines.set(kind, line)
      line.length++
      const turn = line.last.then(work)
      line.last = turn.catch(() => {})
      try {
        return await turn
      } finally {
        line.length--
        if (line.length === 0) lines.delete(kind)
      }
    },
  }
}
