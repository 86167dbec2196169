import { Option, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { runCommand } from '../terminal/run-command.ts'
import { addServerOptions } from './server-options.ts'
import type { LoginOptions } from './login.ts'
import type { WhoAmIOptions } from './who-am-i.ts'
import { outputOption, type Output } from '../terminal/output-option.ts'
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
    .option('--context <name>', 'name for this login, to have several; by default the server, whose login it replaces')
    .option('--insecure-http', 'allow plain http to a server on another machine')
    .action(
      runCommand(context, async (url: string, options: LoginOptions) => {
        const { login } = await import('./login.ts')
        await login(context, url, options)
      }),
    )
  addContextCommands(program, context)
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

function addContextCommands(program: Command, context: CommandContext): void {
  const contexts = program.command('context').description('switch between stored logins, of several servers or users')
  contexts
    .command('list')
    .description('list the stored logins')
    .addOption(outputOption(['table', 'json', 'name']))
    .action(
      runCommand(context, async (options: { readonly output: Output }) => {
        const { listContexts } = await import('./contexts.ts')
        await listContexts(context, options)
      }),
    )
  contexts
    .command('use')
    .description('make a stored login the default')
    .argument('<context>', 'name of the login')
    .action(
      runCommand(context, async (name: string) => {
        const { useContext } = await import('./contexts.ts')
        await useContext(context, name)
      }),
    )
  contexts
    .command('remove')
    .description('remove a stored login, and end its session if the server answers')
    .argument('<context>', 'name of the login')
    .option('--plan', 'only show what it would do')
    .action(
      runCommand(context, async (name: string, options: { readonly plan?: boolean }) => {
        const { removeContext } = await import('./contexts.ts')
        await removeContext(context, name, options)
      }),
    )
}
