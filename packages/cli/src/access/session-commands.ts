import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions } from '../server/server-options.ts'
import { outputOption } from '../terminal/output-option.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { SessionEndOptions, SessionListOptions } from './sessions.ts'

/** Commands for sessions: one's own, and with a right to it those of others. */
export function addSessionCommands(program: Command, context: CommandContext): void {
  const session = program.command('session').description('list and end sessions, your own or those of others')
  addServerOptions(session.command('list'))
    .description('list your sessions, those of another user, or those of everybody')
    .option('--user <name>', 'of this user')
    .option('--all', 'of all users, last used first')
    .addOption(outputOption(['table', 'json', 'name']))
    .action(
      runCommand(context, async (options: SessionListOptions) => {
        const { listSessions } = await import('./sessions.ts')
        await listSessions(context, options)
      }),
    )
  addServerOptions(session.command('end'))
    .description('end a session, which is signed out at once on every server; or all of a user')
    .argument('[id]', 'id of the session, as lists show it')
    .option('--user <name>', 'a session of this user instead of yours')
    .option('--all', 'all sessions of the user')
    .option('--plan', 'only show what it would do')
    .action(
      runCommand(context, async (id: string | undefined, options: SessionEndOptions) => {
        const { endSessions } = await import('./sessions.ts')
        await endSessions(context, id, options)
      }),
    )
}
