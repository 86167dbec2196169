import type { Terminal } from './terminal/terminal.ts'

/** Context of every command. */
export interface CommandContext {
  readonly terminal: Terminal
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Version of the CLI. */
  readonly version: string
}
