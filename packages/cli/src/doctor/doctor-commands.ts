import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/server-options.ts'
import { outputOption } from '../terminal/output-option.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { DoctorOptions } from './doctor.ts'
import type { ReplicasOptions } from './replicas.ts'

export function addDoctorCommands(program: Command, context: CommandContext): void {
  addServerOptions(program.command('doctor'))
    .description('check a server, and with its configuration file its machine, database and providers; advise')
    .option(
      '-c, --config <file>',
      'configuration file of a server on this machine (default: pergola.yaml, if it exists)',
    )
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (options: DoctorOptions) => {
        const { doctor } = await import('./doctor.ts')
        return doctor(context, options)
      }),
    )
  addServerOptions(program.command('replicas'))
    .description('list the servers on the same database: version, start, lag, plugins and the work each does for all')
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (options: ReplicasOptions) => {
        const { showReplicas } = await import('./replicas.ts')
        await showReplicas(context, options)
      }),
    )
}
