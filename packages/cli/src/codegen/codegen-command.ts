import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/connect.ts'
import { collect } from '../terminal/collect.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { CodegenOptions } from './codegen.ts'

/** Command for authors of front ends and other API clients. */
export function addCodegenCommand(program: Command, context: CommandContext): void {
  addServerOptions(program.command('codegen'))
    .description('write a TypeScript module of what a server has: models and custom APIs, with their types')
    .requiredOption('--out <file>', 'where it goes, such as src/api.ts; - for stdout')
    .option('--group <group>', 'only of this group, "" for the host\'s own; repeatable', collect, [])
    .action(
      runCommand(context, async (options: CodegenOptions) => {
        const { codegen } = await import('./codegen.ts')
        await codegen(context, options)
      }),
    )
}
