import { exitCodes, type ExitCode } from './exit-codes.ts'

export interface CommandFaultOptions {
  readonly exitCode?: ExitCode
  /** Lines printed below the message. */
  readonly lines?: readonly string[]
  /** A command to run next. */
  readonly next?: string | undefined
}

/** An error for the user: a message without stack, and a next step. */
export class CommandFault extends Error {
  override readonly name = 'CommandFault'
  readonly exitCode: ExitCode
  readonly lines: readonly string[]
  readonly next: string | undefined

  constructor(message: string, { exitCode = exitCodes.failed, lines = [], next }: CommandFaultOptions = {}) {
    super(message)
    this.exitCode = exitCode
    this.lines = lines
    this.next = next
  }
}

export function usedWrongly(message: string, options: Omit<CommandFaultOptions, 'exitCode'> = {}): CommandFault {
  return new CommandFault(message, { ...options, exitCode: exitCodes.usedWrongly })
}
