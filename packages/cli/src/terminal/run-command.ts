import type { CommandContext } from '../command-context.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'

/** The work of a command; returns an exit code on failure. */
export type Work<Words extends readonly unknown[]> = (...words: Words) => Promise<ExitCode | void>

/** Wraps the action of a command: errors become a message and an exit code, and Ctrl-C ends it. */
export function runCommand<Words extends readonly unknown[]>(
  { terminal }: CommandContext,
  work: Work<Words>,
): (...words: Words) => Promise<void> {
  const interrupted = () => {
    terminal.tell(terminal.showsProgress ? [''] : [])
    process.exit(exitCodes.interrupted)
  }
  return async (...words) => {
    process.once('SIGINT', interrupted)
    try {
      process.exitCode = (await work(...words)) ?? exitCodes.done
    } catch (error) {
      const { renderError } = await import('./render-error.ts')
      const { lines, exitCode } = renderError(error)
      const [first = '', ...rest] = lines
      terminal.tell([terminal.paintStatus('red', first), ...rest])
      process.exitCode = exitCode
    } finally {
      process.off('SIGINT', interrupted)
    }
  }
}
