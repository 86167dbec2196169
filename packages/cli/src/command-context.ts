import type { Terminal } from './terminal/terminal.ts'

/** What every command is given. */
export interface CommandContext {
  readonly terminal: Terminal
  /** Of the environment. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Of this command. */
  readonly version: string
}
