import { ApiError, type Reason } from '@pergola/api'
import type { Caller } from '../../call/call.ts'

/** Limits concurrent requests of each caller: each takes memory, or waits for the database or a plugin. */
export interface StreamLimits {
  /**
   * Returns a function that releases the slot; throws when none is free. Anonymous callers share the slots of their address.
   */
  take(caller: Caller, address?: string): () => void
}

export interface StreamLimitOptions {
  readonly inAll: number
  readonly perCaller: number
  /** For the error message: the limited resource, and an alternative ("unbounded lists", "ask for pages by size"). */
  readonly what: string
  readonly instead: string
  /** The reason of the error if other callers have taken all slots. */
  readonly whenFull?: Extract<Reason, 'TooManyRequests' | 'Unavailable'>
}

export const unboundedLists = { what: 'unbounded lists', instead: 'ask for pages by size' }
export const watches = { what: 'watches', instead: 'close one' }
export const requests = { what: 'requests', instead: 'send fewer at a time' }

export function createStreamLimits(options: StreamLimitOptions): StreamLimits {
  const { inAll, perCaller, what, instead, whenFull = 'TooManyRequests' } = options
  const running = new Map<string, number>()
  let all = 0
  return {
    take: (caller, address = '') => {
      const name = caller.kind === 'anonymous' ? `anonymous at ${address}` : `${caller.kind} ${caller.name}`
      const own = running.get(name) ?? 0
      if (own >= perCaller || all >= inAll) {
        const isOwn = own >= perCaller
        const why = isOwn ? `you have ${own}` : `this server has ${all}`
        throw new ApiError(isOwn ? 'TooManyRequests' : whenFull, `${why} ${what} open already; ${instead}, or wait`, {
          headers: { 'retry-after': '1' },
          params: { scope: isOwn ? 'caller' : 'server', actual: isOwn ? own : all, what },
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
