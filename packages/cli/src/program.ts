import { CommanderError, Help, type Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { addCommands, createRoot } from './commands.ts'
import { examples } from './examples.ts'
import { exitCodeMeanings, exitCodes } from './terminal/exit-codes.ts'

const moreHelp = '\n\nExit codes:  pergola --help'

/** All commands, with their help. */
export function createProgram(context: CommandContext): Command {
  const codes = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning.replaceAll('`', '')}`)
  const program = createRoot()
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
    .hook('preAction', inheritAs)
    .exitOverride()
  addCommands(program, context)
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
