import { Command, CommanderError, Help } from 'commander'
import { addAccessCommands } from './access/access-commands.ts'
import { addAdminCommands } from './administration/admin-commands.ts'
import { addBackupCommands } from './administration/backup-commands.ts'
import { addConfigCommands } from './administration/config-commands.ts'
import { configOption } from './administration/config-option.ts'
import { addSecretsCommands } from './administration/secrets-commands.ts'
import { addCodegenCommand } from './codegen/codegen-command.ts'
import type { CommandContext } from './command-context.ts'
import { addCompletionCommand } from './completion/completion-commands.ts'
import { addDevCommand } from './dev/dev-command.ts'
import { examples } from './examples.ts'
import { addExploreCommands } from './explore/explore-commands.ts'
import { addDoctorCommands } from './doctor/doctor-commands.ts'
import { addChangeCommands } from './objects/change-commands.ts'
import { addObjectCommands } from './objects/object-commands.ts'
import { addPluginCommands } from './plugin/plugin-commands.ts'
import { addRawCommand } from './raw/raw-command.ts'
import { addLoginCommands } from './server/login-commands.ts'
import { asWords } from './server/server-options.ts'
import { addTransferCommands } from './transfer/transfer-commands.ts'
import { exitCodeMeanings, exitCodes } from './terminal/exit-codes.ts'

const moreHelp = '\n\nExit codes:  pergola --help'

/** All commands. Each loads its implementation when run, so that `--help` is fast. */
export function createProgram(context: CommandContext): Command {
  const codes = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning.replaceAll('`', '')}`)
  const program = new Command('pergola')
    .description('The command of Pergola, a host for plugins.')
    .version(context.version)
    .showHelpAfterError('Try:  pergola --help')
    .addHelpText('after', `\nExit codes:\n${codes.join('\n')}`)
    .configureOutput({
      writeOut: (text) => void context.terminal.write(text),
      writeErr: (text) => context.terminal.tell([text.trimEnd()]),
    })
    .configureHelp({
      optionDescription: (option) => new Help().optionDescription(option).replace(' (default: [])', ''),
    })
    .option('--as <person>', asWords)
    // Options after a command belong to that command.
    .enablePositionalOptions()
    .hook('preAction', inheritAs)
    .exitOverride()
  addLoginCommands(program, context)
  addExploreCommands(program, context)
  addObjectCommands(program, context)
  addChangeCommands(program, context)
  addTransferCommands(program, context)
  addAccessCommands(program, context)
  addPluginCommands(program, context)
  addRawCommand(program, context)
  addCodegenCommand(program, context)
  addDoctorCommands(program, context)
  addServeCommand(program)
  addDevCommand(program, context)
  addConfigCommands(program, context)
  addAdminCommands(program)
  addSecretsCommands(program)
  addBackupCommands(program, context)
  addCompletionCommand(program, context)
  addHelp(program, [])
  return program
}

/** Usage errors point to the help of the command, which has examples. */
function addHelp(command: Command, path: readonly string[]): void {
  for (const subcommand of command.commands) {
    const words = [...path, subcommand.name()]
    subcommand.showHelpAfterError(`Try:  pergola ${words.join(' ')} --help`)
    const lines = examples[words.join(' ')]
    if (lines) subcommand.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}${moreHelp}`)
    addHelp(subcommand, words)
  }
}

/** Treats `pergola --as ann list todos` like `pergola list todos --as ann`. */
function inheritAs(program: Command, command: Command): void {
  const { as } = program.opts<{ readonly as?: string }>()
  if (as === undefined) return
  if (!command.options.some(({ long }) => long === '--as')) {
    program.error(`error: pergola ${command.name()} does not contact a server; --as is not supported`)
  }
  if (command.getOptionValue('as') === undefined) command.setOptionValue('as', as)
}

/** Runs the program; commander has already printed usage errors. */
export async function runProgram(program: Command, words: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...words])
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usedWrongly
  }
}

function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the server until it is stopped')
    .addOption(configOption())
    .option('--port <port>', 'port to listen on, instead of server.port')
    .action(async ({ config, port }: { config?: string; port?: string }) => {
      const { serve } = await import('@pergola/server')
      // Exits explicitly, because open handles could keep the process alive.
      process.exit(await serve({ ...(config !== undefined && { configFile: config }), port }))
    })
}
