/** Debounce time: editors write a file in several steps, and people save several files at once. */
const quietMs = 20
/** Maximum debounce time while saves continue. */
const mostMs = 400

/** Files saved since the last reload. */
export interface Saved {
  readonly files: readonly string[]
  /** Time of the first save, in `performance.now()` time. */
  readonly since: number
}

export interface ReloadLoop {
  /** Starts reloading. Earlier saves are only collected. */
  start(): void
  /** Records saved files. Saves during a reload trigger another one afterwards. */
  saved(files: readonly string[]): void
  /** Starts no more reloads; resolves when the current one has ended. */
  stop(): Promise<void>
}

/** Runs reloads one at a time and combines saves. `reload` reports its own errors. */
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
