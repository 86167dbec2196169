import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/server-options.ts'
import { collect } from '../terminal/collect.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { CodegenOptions } from './codegen.ts'

/** Command for authors of front ends and other API clients. */
export function addCodegenCommand(program: Command, context: CommandContext): void {
  addServerOptions(program.command('codegen'))
    .description('generate a TypeScript module for the models and custom APIs of a server')
    .requiredOption('--out <file>', 'output file, such as src/api.ts; - for stdout')
    .option('--check', 'write nothing; exit with 1 unless the file is up to date, for CI')
    .option('--group <group>', 'only of this group, "" for the host\'s own; repeatable', collect, [])
    .action(
      runCommand(context, async (options: CodegenOptions) => {
        const { codegen } = await import('./codegen.ts')
        return codegen(context, options)
      }),
    )
}
