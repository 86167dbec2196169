import type { NeededRight } from 'vue-router'

export interface Questions {
  /** Whether the API would allow a request. Concurrent questions share one request. */
  readonly ask: (right: NeededRight) => Promise<boolean>
  /** Drops the cached answers, because roles or permissions have changed. */
  readonly forget: () => void
}

const mostAtOnce = 100

/** Caches answers about rights. `review` answers in the order of the rights; after a failure nothing is allowed, until asked again. */
export function createQuestions(review: (rights: readonly NeededRight[]) => Promise<readonly boolean[]>): Questions {
  const answers = new Map<string, Promise<boolean>>()
  let waiting: { readonly right: NeededRight; readonly answer: (is: boolean) => void }[] = []
  const askSome = async (some: typeof waiting) => {
    try {
      const allowed = await review(some.map(({ right }) => right))
      some.forEach((one, at) => one.answer(allowed[at] ?? false))
    } catch {
      // Not cached: asked again with the next question. Until then, the buttons stay hidden.
      answers.clear()
      for (const { answer } of some) answer(false)
    }
  }
  const askAll = () => {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += mostAtOnce) void askSome(all.slice(from, from + mostAtOnce))
  }
  return {
    ask: async (right) => {
      const key = JSON.stringify([right.verb, right.group, right.resource, right.subresource])
      const known = answers.get(key)
      if (known) return known
      const asked = new Promise<boolean>((answer) => {
        if (waiting.length === 0) queueMicrotask(askAll)
        waiting.push({ right, answer })
      })
      answers.set(key, asked)
      return asked
    },
    forget: () => answers.clear(),
  }
}
