import { Command } from 'commander'
import { addAccessCommands } from './access/access-commands.ts'
import { addAdminCommands } from './administration/admin-commands.ts'
import { addBackupCommands } from './administration/backup-commands.ts'
import { addConfigCommands } from './administration/config-commands.ts'
import { addSecretsCommands } from './administration/secrets-commands.ts'
import { addCodegenCommand } from './codegen/codegen-command.ts'
import { addCompletionCommand } from './completion/completion-commands.ts'
import { addDevCommand } from './dev/dev-command.ts'
import { addExploreCommands } from './explore/explore-commands.ts'
import { addDoctorCommands } from './doctor/doctor-commands.ts'
import { addChangeCommands } from './objects/change-commands.ts'
import { addObjectCommands } from './objects/object-commands.ts'
import { addPluginCommands } from './plugin/plugin-commands.ts'
import { addRawCommand } from './raw/raw-command.ts'
import { addLoginCommands } from './server/login-commands.ts'
import { addTransferCommands } from './transfer/transfer-commands.ts'
import { configOption } from './administration/config-option.ts'
import type { CommandContext } from './command-context.ts'
import { asWords } from './server/server-options.ts'

export function createRoot(): Command {
  // Options after a command belong to that command.
  return new Command('pergola').option('--as <person>', asWords).enablePositionalOptions()
}

/** Adds all commands, without their help. Each loads its implementation when run, so that `--help` is fast. */
export function addCommands(program: Command, context: CommandContext): Command {
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
  return program
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
