import { exitCodes, type ExitCode } from './exit-codes.ts'

export interface CommandFaultOptions {
  readonly exitCode?: ExitCode
  /** Stand under the message. */
  readonly lines?: readonly string[]
  /** A command that helps. */
  readonly next?: string | undefined
}

/** What a command ends with, as people are told it: without a stack, and with what to do. */
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
