/** The latest log lines of all processes of a plugin on this replica. */
interface RecentLines {
  /** Oldest first. */
  readonly items: readonly string[]
  /** When the host received each line, RFC 3339. */
  readonly times: readonly string[]
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

export function createRecentLog(now: () => number): RecentLog {
  const logs = new Map<string, { lines: { readonly text: string; readonly at: number }[]; last: number }>()
  return {
    add: (plugin, line) => {
      const log = logs.get(plugin) ?? { lines: [], last: 0 }
      logs.set(plugin, log)
      log.last++
      log.lines.push({ text: line, at: now() })
      if (log.lines.length > maxLines * 1.25) log.lines = log.lines.slice(-maxLines)
    },
    after: (plugin, line) => {
      const log = logs.get(plugin)
      if (!log) return undefined
      const { lines, last } = log
      const wanted = line > last ? maxLines : Math.min(maxLines, last - line)
      const shown = wanted === 0 ? [] : lines.slice(-wanted)
      const times = shown.map(({ at }) => new Date(at).toISOString())
      return { items: shown.map(({ text }) => text), times, last }
    },
    forget: (plugin) => void logs.delete(plugin),
  }
}
