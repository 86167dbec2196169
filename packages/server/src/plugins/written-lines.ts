/** The latest log lines of a plugin's processes on this replica, one after the other. */
interface WrittenLines {
  /** Oldest first. */
  readonly items: readonly string[]
  /** The number of the newest line; later lines have higher numbers. */
  readonly last: number
}

/** With the name of the replica, because each replica has its own line numbers. */
export interface LinesHere extends WrittenLines {
  readonly replica: string
}

export interface WrittenLog {
  add(plugin: string, line: string): void
  /** The lines after a given line, as far as they are kept; all of them when the number is unknown. */
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
