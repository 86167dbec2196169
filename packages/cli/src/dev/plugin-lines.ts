import { shortPaths } from './fault-lines.ts'

/** What a plugin wrote is one failure for so long as it goes on within this time. */
const gatherMs = 30
/** A failure that no request tells of is told by itself. */
const keepMs = 500

export interface PluginLinesOptions {
  readonly folder: string
  readonly say: (lines: readonly string[]) => void
  /** The port for debuggers is somebody else's. */
  readonly onPortTaken: () => void
}

/** What a plugin writes, with the failures of requests kept for the lines of those. */
export interface PluginLines {
  take(line: string): void
  /** What comes now may be told by somebody else, too. */
  hold(): void
  /** Tells what was held, but for what stands in the text, which was told already. */
  release(told?: string): void
  /** What the plugin wrote of a request that failed, as soon as it is there. */
  failureOf(requestId: string): Promise<readonly string[] | undefined>
}

/** Words of Node.js about a debugger that comes and goes. */
const ofDebuggers =
  /^(Debugger (listening|attached|ending)|For help, see: https:\/\/nodejs\.org|Waiting for the debugger)/
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
      if (ofDebuggers.test(line)) return
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
      // The line of the request may come first.
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
