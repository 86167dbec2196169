import { ApiError } from '@pergola/api'

/** Limits concurrent work. Waiting work runs first come, first served; work with priority goes before the rest. */
export interface Turns {
  /** Throws `TooManyRequests` when too many are waiting already; work with priority is never refused. */
  readonly run: <Done>(work: () => Promise<Done>, options?: { readonly hasPriority?: boolean }) => Promise<Done>
}

export interface TurnsOptions {
  readonly atATime: number
  /** Maximum number of waiting without priority; no limit when omitted. */
  readonly mostWaiting?: number
  /** What is refused, in plural. */
  readonly what?: string
}

export function createTurns(options: TurnsOptions): Turns {
  const { atATime, mostWaiting = Number.POSITIVE_INFINITY, what = 'requests of this kind' } = options
  const first: (() => void)[] = []
  const others: (() => void)[] = []
  let free = atATime
  return {
    run: async (work, { hasPriority = false } = {}) => {
      if (free > 0) free--
      else {
        if (!hasPriority && others.length >= mostWaiting) {
          throw new ApiError('TooManyRequests', `${mostWaiting} ${what} are queued already; retry later`, {
            headers: { 'retry-after': '1' },
            params: { limit: mostWaiting },
          })
        }
        await new Promise<void>((begin) => (hasPriority ? first : others).push(begin))
      }
      try {
        return await work()
      } finally {
        // The slot passes to the next one, so that no later caller can take it first.
        const begin = first.shift() ?? others.shift()
        if (begin) begin()
        else free++
      }
    },
  }
}
