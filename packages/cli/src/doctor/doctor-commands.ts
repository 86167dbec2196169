import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/connect.ts'
import { outputOption } from '../terminal/output-option.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { DoctorOptions } from './doctor.ts'

export function addDoctorCommands(program: Command, context: CommandContext): void {
  addServerOptions(program.command('doctor'))
    .description(
      'check a server: readiness, version, clock, certificate, login, plugins, models; and how to fix problems',
    )
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (options: DoctorOptions) => {
        const { doctor } = await import('./doctor.ts')
        return doctor(context, options)
      }),
    )
}
