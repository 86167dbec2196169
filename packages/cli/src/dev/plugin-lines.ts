import { shortPaths } from './fault-lines.ts'

/** Indented lines within this time belong to the same failure. */
const gatherMs = 30
/** A failure is printed separately unless its request is logged within this time. */
const keepMs = 500

export interface PluginLinesOptions {
  readonly folder: string
  readonly say: (lines: readonly string[]) => void
  /** Called when the debugger port is in use. */
  readonly onPortTaken: () => void
}

/** Collects a plugin's output and holds back failures of requests, to print them with the request. */
export interface PluginLines {
  take(line: string): void
  /** Buffers lines, because an error report may repeat them. */
  hold(): void
  /** Prints the buffered lines except those contained in `told`. */
  release(told?: string): void
  /** Output of the plugin about a failed request, once available. */
  failureOf(requestId: string): Promise<readonly string[] | undefined>
}

/** Messages of Node.js about debuggers. */
const ofDebuggers =
  /^(Debugger (listening|attached|ending)|For help, see: https:\/\/nodejs\.org|Waiting for the debugger)/
/** How the process ended. The host logs it too, and that line is printed. */
const ofHost = /^pergola: .*; it is started again in \d+ s$/
const portTaken = /^Starting inspector on \S+ failed/
const beginsFailure = /^[A-Z]+ \S+ failed \(request ([\w-]+)\): (.*)$/

interface Failure {
  readonly lines: string[]
  timer: NodeJS.Timeout
}

export function createPluginLines({ folder, say, onPortTaken }: PluginLinesOptions): PluginLines {
  const failures = new Map<string, Failure>()
  let held: string[] | undefined
  let open: { readonly id: string; readonly until: number } | undefined
  const tell = (id: string) => {
    const { lines = [] } = failures.get(id) ?? {}
    failures.delete(id)
    if (lines.length > 0) say(lines)
  }
  return {
    take: (text) => {
      const line = shortPaths(text, folder)
      if (ofDebuggers.test(line) || ofHost.test(line)) return
      if (portTaken.test(line)) return onPortTaken()
      const [, id, first = ''] = beginsFailure.exec(line) ?? []
      if (id !== undefined) {
        failures.set(id, { lines: [first], timer: setTimeout(() => tell(id), keepMs).unref() })
        open = { id, until: performance.now() + gatherMs }
        return
      }
      const going = open && performance.now() < open.until ? failures.get(open.id) : undefined
      if (going && /^\s/.test(line)) going.lines.push(line)
      else {
        open = undefined
        if (held) held.push(line)
        else say([line])
      }
    },
    hold: () => {
      held ??= []
    },
    release: (told = '') => {
      const known = new Set(
        shortPaths(told, folder)
          .split('\n')
          .map((line) => line.trim()),
      )
      const lines = held?.filter((line) => !known.has(line.trim()) && line.trim() !== '') ?? []
      held = undefined
      if (lines.length > 0) say(lines)
    },
    failureOf: async (id) => {
      // The log line of the request may arrive before the plugin's output.
      const until = performance.now() + keepMs / 2
      while (!failures.has(id) && performance.now() < until) await pause()
      await pause()
      const found = failures.get(id)
      if (!found) return undefined
      clearTimeout(found.timer)
      failures.delete(id)
      return found.lines
    },
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, gatherMs))
}
