import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A child process to stop or kill; it reports in lines of JSON. */
export interface Child<Line> extends AsyncDisposable {
  signal(name: NodeJS.Signals): void
  /** Whether it has exited. */
  ended(): boolean
  /** Resolves when it has exited and its last line was read. */
  readonly closed: Promise<unknown>
  /** The first matching line, past or future; rejects if the process exits without one. */
  first(fits: (line: Line) => boolean): Promise<Line>
  readonly lines: readonly Line[]
}

export interface ChildOptions {
  /** In `processes/`. */
  readonly file: string
  readonly args: readonly string[]
  readonly flags?: readonly string[]
}

/** Ends with this process, even while it is stopped. */
export function startChild<Line>({ file, args, flags = [] }: ChildOptions): Child<Line> {
  const script = join(import.meta.dirname, 'processes', file)
  const command = [
    '--pdeathsig',
    'KILL',
    '--',
    process.execPath,
    '--conditions=@pergola/source',
    ...flags,
    script,
    ...args,
  ]
  const child = spawn('setpriv', command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: Line[] = []
  const heard = createInterface(child.stdout)
  heard.on('line', (line) => {
    if (isWhole(line)) lines.push(JSON.parse(line) as Line)
  })
  const closed = Promise.all([once(child, 'close'), once(heard, 'close')])
  const ended = () => child.exitCode !== null || child.signalCode !== null
  return {
    lines,
    closed,
    ended,
    signal: (name) => child.kill(name),
    first: async (fits) => {
      for (;;) {
        const line = lines.find(fits)
        if (line !== undefined) return line
        if (ended()) throw new Error(`${file} ended with ${child.exitCode ?? child.signalCode} too early`)
        await Promise.race([once(heard, 'line'), closed])
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** The kill may have truncated the last line. */
function isWhole(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
