import { createInterface } from 'node:readline'
import { askHidden } from './ask-hidden.ts'
import { usedWrongly } from './command-fault.ts'
import { exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Reads one line of input. */
export function askLine(terminal: Terminal, prompt: string): Promise<string> {
  const reader = createInterface({ input: terminal.stdin, output: process.stderr })
  return new Promise((resolve) => {
    reader.on('SIGINT', () => {
      reader.close()
      process.stderr.write('\n')
      process.exit(exitCodes.interrupted)
    })
    // Ctrl-D or the end of input counts as an empty answer.
    reader.on('close', () => resolve(''))
    reader.question(prompt, (answer) => {
      resolve(answer.trim())
      reader.close()
    })
  })
}

export interface Confirmation {
  readonly question: string
  /** Set by `--yes`: skips the question. */
  readonly yes?: boolean | undefined
}

/** Asks for confirmation; only `y` or `yes` confirms. Without a terminal, `--yes` is required. */
export async function isConfirmed(terminal: Terminal, { question, yes }: Confirmation): Promise<boolean> {
  if (yes) return true
  if (!terminal.canAsk)
    throw usedWrongly('cannot prompt without a terminal; add --yes, or --plan to see what it would do')
  return /^y(es)?$/i.test(await askLine(terminal, `  ${question} [y/N] `))
}

export interface HiddenQuestion {
  readonly prompt: string
  /** The option to use without a terminal. */
  readonly option: string
}

export async function askSecret(terminal: Terminal, { prompt, option }: HiddenQuestion): Promise<string> {
  if (!terminal.canAsk) throw usedWrongly(`cannot prompt without a terminal; use ${option}`)
  return askHidden(prompt)
}
