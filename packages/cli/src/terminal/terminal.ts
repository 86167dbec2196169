import { once } from 'node:events'
import { styleText } from 'node:util'
import { exitCodes } from './exit-codes.ts'

/** Of a process, what a command speaks through. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly variables: Readonly<Record<string, string | undefined>>
}

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'
export type Paint = (style: Style, text: string) => string

export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  /** All that comes in, as text. */
  readInput(): Promise<string>
  /** To stdout; resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Lines to stdout. */
  print(lines: readonly string[]): Promise<void>
  /** The next command under a table; on a terminal only, so that programs get rows alone. */
  hint(next: string): Promise<void>
  /** Lines to stderr, about what is being done. */
  tell(lines: readonly string[]): void
  /** Stands on stderr until the next one, or until something is written; at a terminal only. */
  showProgress(text: string): void
  /** Whether somebody is there who can answer. */
  readonly canAsk: boolean
  readonly showsProgress: boolean
  /** Lines that fit on it; undefined where nobody looks. */
  readonly rows: number | undefined
  /** For stdout, and for stderr. */
  readonly paint: Paint
  readonly paintTold: Paint
}

const eraseLine = '\r\u001b[K'

/** Colours only on a terminal, and never with NO_COLOR. */
export function createTerminal(streams: TerminalStreams): Terminal {
  const { stdout, stderr, variables } = streams
  const wantsColours = !variables['NO_COLOR'] && variables['TERM'] !== 'dumb'
  const painting =
    (stream: NodeJS.WriteStream): Paint =>
    (style, text) =>
      stream.isTTY && wantsColours ? styleText(style, text, { validateStream: false }) : text
  let isShowing = false
  const erase = () => {
    if (isShowing) stderr.write(eraseLine)
    isShowing = false
  }
  const write: Terminal['write'] = async (text) => {
    erase()
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  // Who has read enough has closed its end, as `head` does: that is no failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed)
  })
  return {
    // Not before it is needed: asking for it opens it.
    get stdin() {
      return streams.stdin
    },
    readInput: async () => {
      const { text } = await import('node:stream/consumers')
      return text(streams.stdin)
    },
    write,
    print: async (lines) => {
      if (lines.length > 0) await write(`${lines.join('\n')}\n`)
    },
    hint: async (next) => {
      if (stdout.isTTY) await write(`  next      ${next}\n`)
    },
    tell: (lines) => {
      erase()
      if (lines.length > 0) stderr.write(`${lines.join('\n')}\n`)
    },
    showProgress: (text) => {
      if (!stderr.isTTY) return
      const fitting = text.slice(0, Math.max(0, (stderr.columns || 80) - 1))
      stderr.write(`${eraseLine}${fitting}`)
      isShowing = true
    },
    get canAsk() {
      return streams.stdin.isTTY && stderr.isTTY
    },
    showsProgress: stderr.isTTY,
    rows: stdout.isTTY ? stdout.rows : undefined,
    paint: painting(stdout),
    paintTold: painting(stderr),
  }
}
