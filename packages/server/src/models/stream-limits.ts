import { ApiError } from '@pergola/api'
import type { Caller } from '../base/call.ts'

/** How many lists may be streamed at a time: each holds memory for as long as its reader takes. */
export interface StreamLimits {
  /** Answers what gives the place back; throws when there is none. */
  take(caller: Caller): () => void
}

export interface StreamLimitOptions {
  readonly inAll: number
  readonly perCaller: number
}

export function createStreamLimits({ inAll, perCaller }: StreamLimitOptions): StreamLimits {
  const running = new Map<string, number>()
  let all = 0
  return {
    take: (caller) => {
      const name = caller.kind === 'user' ? `user ${caller.name}` : caller.kind
      const own = running.get(name) ?? 0
      if (own >= perCaller || all >= inAll) {
        const why = own >= perCaller ? `you are reading ${own}` : `this server is sending ${all}`
        throw new ApiError('TooManyRequests', `${why} unbounded lists already; ask for pages by size, or wait`, {
          headers: { 'retry-after': '1' },
        })
      }
      running.set(name, own + 1)
      all++
      let given = false
      return () => {
        if (given) return
        given = true
        all--
        const left = (running.get(name) ?? 1) - 1
        if (left === 0) running.delete(name)
        else running.set(name, left)
      }
    },
  }
}
