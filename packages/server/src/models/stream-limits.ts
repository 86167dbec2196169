import { ApiError } from '@pergola/api'
import type { Caller } from '../base/call.ts'

/** How much of something may go on at a time: each holds memory for as long as its reader takes. */
export interface StreamLimits {
  /** Answers what gives the place back; throws when there is none. Those without a name share what their address has. */
  take(caller: Caller, address?: string): () => void
}

export interface StreamLimitOptions {
  readonly inAll: number
  readonly perCaller: number
  /** What it is, and what to do instead: "unbounded lists", "ask for pages by size". */
  readonly what: string
  readonly instead: string
}

export const unboundedLists = { what: 'unbounded lists', instead: 'ask for pages by size' }
export const watches = { what: 'watches', instead: 'close one' }

export function createStreamLimits({ inAll, perCaller, what, instead }: StreamLimitOptions): StreamLimits {
  const running = new Map<string, number>()
  let all = 0
  return {
    take: (caller, address = '') => {
      const name = caller.kind === 'anonymous' ? `anonymous at ${address}` : `${caller.kind} ${caller.name}`
      const own = running.get(name) ?? 0
      if (own >= perCaller || all >= inAll) {
        const why = own >= perCaller ? `you are reading ${own}` : `this server is sending ${all}`
        throw new ApiError('TooManyRequests', `${why} ${what} already; ${instead}, or wait`, {
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
