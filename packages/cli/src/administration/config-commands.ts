import type { ShownSetting } from '@pergola/server'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { printJson } from '../terminal/print-json.ts'
import { runCommand } from '../terminal/run-command.ts'
import { tableOf } from '../terminal/table.ts'
import { configOf, configOption } from './config-option.ts'
import type { SharedOptions } from './run-administration.ts'

interface PrintOptions extends SharedOptions {
  readonly changed?: true
}

/** Commands for operators that read a configuration as the server would. */
export function addConfigCommands(program: Command, context: CommandContext): void {
  const config = program.command('config').description('check and show the configuration of a server')
  config
    .command('check')
    .description('read the configuration and the files that it names, and report every mistake; starts nothing')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .action(runCommand(context, (options: SharedOptions) => check(context, options)))
  config
    .command('print')
    .description('show every setting with its value and where it comes from; secrets are masked')
    .addOption(configOption())
    .option('--changed', 'only settings that are not at their default')
    .option('--json', 'print JSON')
    .action(runCommand(context, (options: PrintOptions) => show(context, options)))
}

/** The exit code is that of a server with this configuration. */
async function check({ terminal }: CommandContext, options: SharedOptions): Promise<ExitCode> {
  const { inspectConfiguration } = await import('@pergola/server')
  const { file, faults, settings } = inspectConfiguration(configOf(options))
  const code = faults.length === 0 ? exitCodes.done : exitCodes.usedWrongly
  if (options.json) await printJson(terminal, { file, faults })
  else if (faults.length > 0) {
    const count = `${faults.length} ${faults.length === 1 ? 'mistake' : 'mistakes'}`
    await terminal.print([...faults.map((fault) => `  ${fault}`), `  ${count}`])
  } else {
    const where = file ?? 'no file, only variables'
    await terminal.print([`  ${where}: no mistakes; ${settings.filter(isChanged).length} settings are set`])
  }
  return code
}

async function show({ terminal }: CommandContext, options: PrintOptions): Promise<ExitCode> {
  const { inspectConfiguration } = await import('@pergola/server')
  const { file, faults, settings } = inspectConfiguration(configOf(options))
  if (settings.length === 0) {
    terminal.tell(faults)
    return exitCodes.usedWrongly
  }
  const items = options.changed ? settings.filter(isChanged) : settings
  if (options.json) await printJson(terminal, { file, items })
  else {
    const rows = items.map(({ setting, value, from }) => [setting, shownValue(value), from])
    await terminal.print(tableOf(['SETTING', 'VALUE', 'FROM'], rows))
  }
  return exitCodes.done
}

function isChanged({ from }: ShownSetting): boolean {
  return from !== 'default' && from !== 'not set'
}

function shownValue(value: unknown): string {
  if (value === undefined) return '-'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
