import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/server-options.ts'
import { outputOption } from '../terminal/output-option.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { ExplainOptions } from './explain.ts'
import type { ResourcesOptions } from './resources.ts'

/** Commands that show what a server has. */
export function addExploreCommands(program: Command, context: CommandContext): void {
  addServerOptions(program.command('resources'))
    .description('list the resources of the server, with their names and what you may do with them')
    .option('--group <group>', 'only of this group, "" for the host\'s own')
    .addOption(outputOption(['table', 'json', 'name']))
    .action(
      runCommand(context, async (options: ResourcesOptions) => {
        const { listResources } = await import('./resources.ts')
        await listResources(context, options)
      }),
    )
  addServerOptions(program.command('explain'))
    .description('explain a resource or a field: type, constraints, index, description and an example')
    .argument('<field>', 'a resource, or a field of it: todos, todos.spec.due')
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (field: string, options: ExplainOptions) => {
        const { explainField } = await import('./explain.ts')
        await explainField(context, field, options)
      }),
    )
}
