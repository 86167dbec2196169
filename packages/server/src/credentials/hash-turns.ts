import { ApiError } from '@pergola/api'

/** Each hash takes some 50 ms of a core and 19 MiB; more at a time would slow everybody down. */
export const atATime = 4
/** Maximum number of waiting unknown callers; known callers are not limited. */
export const mostWaiting = 100

/** Limits the number of concurrent hash computations; known callers go first. */
export interface HashTurns {
  /** Throws `TooManyRequests` when too many are waiting already. */
  run<Done>(work: () => Promise<Done>, options?: { readonly isKnown?: boolean }): Promise<Done>
}

export function createHashTurns(): HashTurns {
  const known: (() => void)[] = []
  const strangers: (() => void)[] = []
  let free = atATime
  const next = () => {
    const begin = known.shift() ?? strangers.shift()
    if (begin) begin()
    else free++
  }
  return {
    run: async (work, { isKnown = false } = {}) => {
      if (free > 0) free--
      else {
        if (!isKnown && strangers.length >= mostWaiting) {
          throw new ApiError('TooManyRequests', `${mostWaiting} logins are queued already; retry later`, {
            headers: { 'retry-after': '1' },
            params: { limit: mostWaiting },
          })
        }
        await new Promise<void>((begin) => (isKnown ? known : strangers).push(begin))
      }
      try {
        return await work()
      } finally {
        next()
      }
    },
  }
}
