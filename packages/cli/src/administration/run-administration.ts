import type { Administration } from '@pergola/server'
import type { Command } from 'commander'
import { configOf, configOption } from './config-option.ts'

const where = 'Works on the database of the configuration itself: no server has to run, and with SQLite none may.'

export interface SharedOptions {
  readonly config?: string
  readonly json?: true
}

/** Adds the options of every command that works directly on the database. */
export function addShared(command: Command): Command {
  return command.addOption(configOption()).option('--json', 'print JSON').addHelpText('after', `\n${where}`)
}

/** Exits explicitly, because open handles could keep the process alive. */
export async function runAdministration(
  options: SharedOptions,
  work: (administration: Administration) => Promise<void>,
): Promise<void> {
  const { administer } = await import('@pergola/server')
  process.exit(await administer(configOf(options), work))
}

export function print({ json }: SharedOptions, value: object, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`)
}
