/** What the processes of a plugin wrote last, one after the other, here. */
interface WrittenLines {
  /** Oldest first. */
  readonly items: readonly string[]
  /** The number of the newest line: what comes is behind it. */
  readonly last: number
}

/** With the name of the replica: numbers of another one are others. */
export interface LinesHere extends WrittenLines {
  readonly replica: string
}

export interface WrittenLog {
  add(plugin: string, line: string): void
  /** What was written behind a line, as far as it is kept; all of it when the number is none of ours. */
  after(plugin: string, line: number): WrittenLines | undefined
  forget(plugin: string): void
}

const mostLines = 500

export function createWrittenLog(): WrittenLog {
  const logs = new Map<string, { items: string[]; last: number }>()
  return {
    add: (plugin, line) => {
      const log = logs.get(plugin) ?? { items: [], last: 0 }
      logs.set(plugin, log)
      log.last++
      log.items.push(line)
      if (log.items.length > mostLines * 1.25) log.items = log.items.slice(-mostLines)
    },
    after: (plugin, line) => {
      const log = logs.get(plugin)
      if (!log) return undefined
      const { items, last } = log
      const wanted = line > last ? mostLines : Math.min(mostLines, last - line)
      return { items: wanted === 0 ? [] : items.slice(-wanted), last }
    },
    forget: (plugin) => void logs.delete(plugin),
  }
}
