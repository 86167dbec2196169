import { Option, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { runCommand } from '../terminal/run-command.ts'
import { addServerOptions } from './connect.ts'
import type { LoginOptions } from './login.ts'
import type { WhoAmIOptions } from './who-am-i.ts'
import { outputOption } from '../terminal/output-option.ts'
import type { LogoutOptions } from './logout.ts'

/** Commands to sign in and out. */
export function addLoginCommands(program: Command, context: CommandContext): void {
  program
    .command('login')
    .description('sign in to a server, which later commands then use')
    .argument('<url>', 'address of the server, such as https://pergola.example.com')
    .option('--username <name>', 'user name; asked for if omitted')
    .addOption(new Option('--password-file <file>', 'read the password from a file; - is stdin').conflicts('tokenFile'))
    .addOption(
      new Option('--token-file <file>', 'a personal access token in place of a password; - is stdin').conflicts(
        'username',
      ),
    )
    .option('--insecure-http', 'allow plain http to a server on another machine')
    .action(
      runCommand(context, async (url: string, options: LoginOptions) => {
        const { login } = await import('./login.ts')
        await login(context, url, options)
      }),
    )
  addServerOptions(program.command('logout'))
    .description('end the session on the server and remove it from this machine')
    .option('--plan', 'only show what it would do')
    .action(
      runCommand(context, async (options: LogoutOptions) => {
        const { logout } = await import('./logout.ts')
        await logout(context, options)
      }),
    )
  addServerOptions(program.command('whoami'))
    .description('show who is signed in to which server, with which roles and until when')
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (options: WhoAmIOptions) => {
        const { whoAmI } = await import('./who-am-i.ts')
        await whoAmI(context, options)
      }),
    )
}
