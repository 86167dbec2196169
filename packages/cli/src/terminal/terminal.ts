import { once } from 'node:events'
import { styleText } from 'node:util'
import { exitCodes } from './exit-codes.ts'
import { visibleLines } from './visible.ts'

/** Standard streams and environment of a process. */
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
  /** Reads all of stdin as text. */
  readInput(): Promise<string>
  /** Writes to stdout; resolves when more can be written. */
  write(text: string): Promise<void>
  /** Writes lines to stdout. Here and below, control characters are escaped, because the text may come from a server. */
  print(lines: readonly string[]): Promise<void>
  /** Suggests a next command below the output; only on a terminal, so that programs get rows only. */
  hint(next: string): Promise<void>
  /** Writes status lines to stderr. */
  tell(lines: readonly string[]): void
  /** Shows transient progress on stderr, replaced by the next output; only on a terminal. */
  showProgress(text: string): void
  /** True when the user can be asked. */
  readonly canAsk: boolean
  readonly showsProgress: boolean
  /** Rows of the terminal; undefined when stdout is not one. */
  readonly rows: number | undefined
  /** Width of the terminal in characters; undefined when output is not a terminal. */
  readonly columns: number | undefined
  /** Colours for stdout. */
  readonly paint: Paint
  /** Colours for status lines on stderr. */
  readonly paintStatus: Paint
}

const eraseLine = '\r\u001b[K'

/** Creates the terminal. Uses colours only on a terminal and without NO_COLOR. */
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
  // A reader such as `head` may close the pipe; that is not an error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed)
  })
  return {
    // Accessed lazily, because reading `process.stdin` opens it.
    get stdin() {
      return streams.stdin
    },
    readInput: async () => {
      const { text } = await import('node:stream/consumers')
      return text(streams.stdin)
    },
    write,
    print: async (lines) => {
      if (lines.length > 0) await write(`${visibleLines(lines.join('\n'))}\n`)
    },
    hint: async (next) => {
      if (stdout.isTTY) await write(`  next      ${visibleLines(next)}\n`)
    },
    tell: (lines) => {
      erase()
      if (lines.length > 0) stderr.write(`${visibleLines(lines.join('\n'))}\n`)
    },
    showProgress: (text) => {
      if (!stderr.isTTY) return
      const fitting = text.slice(0, Math.max(0, (stderr.columns || 80) - 1))
      stderr.write(`${eraseLine}${visibleLines(fitting)}`)
      isShowing = true
    },
    get canAsk() {
      return streams.stdin.isTTY && stderr.isTTY
    },
    showsProgress: stderr.isTTY,
    rows: stdout.isTTY ? stdout.rows : undefined,
    columns: stdout.isTTY ? stdout.columns : undefined,
    paint: painting(stdout),
    paintStatus: painting(stderr),
  }
}
