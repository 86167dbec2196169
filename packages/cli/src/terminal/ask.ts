import { createInterface } from 'node:readline'
import { askHidden } from './ask-hidden.ts'
import { usedWrongly } from './command-fault.ts'
import { exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** A line of what is typed. */
export function askLine(terminal: Terminal, prompt: string): Promise<string> {
  const reader = createInterface({ input: terminal.stdin, output: process.stderr })
  return new Promise((resolve) => {
    reader.on('SIGINT', () => {
      reader.close()
      process.stderr.write('\n')
      process.exit(exitCodes.interrupted)
    })
    // Ctrl-D, or the end of the input, is no answer.
    reader.on('close', () => resolve(''))
    reader.question(prompt, (answer) => {
      resolve(answer.trim())
      reader.close()
    })
  })
}

export interface Confirmation {
  readonly question: string
  /** `--yes`: nobody is asked. */
  readonly yes?: boolean | undefined
}

/** Only `y` or `yes` is one. Where there is nobody to ask, the option has to say it. */
export async function isConfirmed(terminal: Terminal, { question, yes }: Confirmation): Promise<boolean> {
  if (yes) return true
  if (!terminal.canAsk)
    throw usedWrongly('there is no terminal to ask at; add --yes, or --plan to see what it would do')
  return /^y(es)?$/i.test(await askLine(terminal, `  ${question} [y/N] `))
}

export interface HiddenQuestion {
  readonly prompt: string
  /** The option that says it where there is no terminal. */
  readonly option: string
}

export async function askSecret(terminal: Terminal, { prompt, option }: HiddenQuestion): Promise<string> {
  if (!terminal.canAsk) throw usedWrongly(`there is no terminal to ask at; use ${option}`)
  return askHidden(prompt)
}
