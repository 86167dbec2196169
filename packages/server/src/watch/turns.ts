/** Limits concurrent work; waiting work runs first come, first served. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>
}

export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  const turn = () => {
    if (running < most) {
      running++
      return Promise.resolve()
    }
    return new Promise<void>((resolve) => waiting.push(resolve))
  }
  const over = () => {
    const next = waiting.shift()
    // Passes the slot to the next waiter.
    if (next) next()
    else running--
  }
  return {
    take: async (work) => {
      await turn()
      try {
        return await work()
      } finally {
        over()
      }
    },
  }
}
