/** The latest log lines of all processes of a plugin on this replica. */
interface RecentLines {
  /** Oldest first. */
  readonly items: readonly string[]
  /** The number of the newest line; later lines have higher numbers. */
  readonly last: number
}

/** Lines and their replica. Each replica numbers its lines separately. */
export interface ReplicaLines extends RecentLines {
  readonly replica: string
}

export interface RecentLog {
  add(plugin: string, line: string): void
  /** Returns the stored lines after line number `line`, or all stored lines if the log has no such number yet. */
  after(plugin: string, line: number): RecentLines | undefined
  forget(plugin: string): void
}

export const maxLines = 500

export function createRecentLog(): RecentLog {
  const logs = new Map<string, { items: string[]; last: number }>()
  return {
    add: (plugin, line) => {
      const log = logs.get(plugin) ?? { items: [], last: 0 }
      logs.set(plugin, log)
      log.last++
      log.items.push(line)
      if (log.items.length > maxLines * 1.25) log.items = log.items.slice(-maxLines)
    },
    after: (plugin, line) => {
      const log = logs.get(plugin)
      if (!log) return undefined
      const { items, last } = log
      const wanted = line > last ? maxLines : Math.min(maxLines, last - line)
      return { items: wanted === 0 ? [] : items.slice(-wanted), last }
    },
    forget: (plugin) => void logs.delete(plugin),
  }
}
