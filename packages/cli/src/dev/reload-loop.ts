/** Editors write a file in several steps, and people several files at once. */
const quietMs = 20
/** Who saves without end is not waited for. */
const mostMs = 400

/** What was saved since the last time. */
export interface Saved {
  readonly files: readonly string[]
  /** When the first of them was noticed, by `performance.now()`. */
  readonly since: number
}

export interface ReloadLoop {
  /** Before, what is saved is only noted. */
  start(): void
  /** Harmless at any time: what comes while something is done is done after it. */
  saved(files: readonly string[]): void
  /** Nothing begins any more; resolves when what is being done has ended. */
  stop(): Promise<void>
}

/** One after the other, and what comes together at once. `reload` tells by itself what goes wrong. */
export function createReloadLoop(reload: (saved: Saved) => Promise<void>): ReloadLoop {
  let files = new Set<string>()
  let since = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let mayBegin = false
  const begin = () => {
    timer = undefined
    if (running || files.size === 0 || !mayBegin) return
    const saved = { files: [...files].toSorted(), since }
    files = new Set()
    running = reload(saved).finally(() => {
      running = undefined
      begin()
    })
  }
  return {
    start: () => {
      mayBegin = true
      begin()
    },
    saved: (names) => {
      if (names.length === 0) return
      if (files.size === 0) since = performance.now()
      for (const name of names) files.add(name)
      if (running) return
      clearTimeout(timer)
      timer = setTimeout(begin, Math.max(0, Math.min(quietMs, since + mostMs - performance.now())))
    },
    stop: async () => {
      mayBegin = false
      clearTimeout(timer)
      await running
    },
  }
}
