/** Lets so many work at a time; the others wait, first come first served. */
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
    // The turn goes over to it.
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
