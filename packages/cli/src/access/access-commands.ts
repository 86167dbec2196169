import { Option, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions, addWhichServer } from '../server/connect.ts'
import { addPasswordOptions } from '../terminal/new-password.ts'
import { outputOption, type Output } from '../terminal/output-option.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { CanIOptions } from './can-i.ts'
import type { GrantOptions } from './grant.ts'
import type { RoleListOptions } from './roles.ts'
import type { AddUserOptions, ResetOptions } from './users.ts'
import type { WhoCanOptions } from './who-can.ts'

const planWords = 'only tell what it would do; the server looks at it, and stores nothing'
const resourceWords = 'todos, todos/status, todos.todo.example.com, or a path such as /apis'

type Asked<Options> = readonly [verb: string, resource: string, name: string | undefined, options: Options]

/** Who may do what. */
export function addAccessCommands(program: Command, context: CommandContext): void {
  addGrantCommands(program, context)
  addQuestions(program, context)
  addUserCommands(program, context)
  const role = program.command('role').description('look at roles')
  addServerOptions(role.command('list'))
    .description('list roles by what people call them')
    .addOption(outputOption(['table', 'json', 'name']))
    .option('--all', 'those that are not shown to people, too')
    .action(
      runCommand(context, async (options: RoleListOptions) => {
        const { listRoles } = await import('./roles.ts')
        await listRoles(context, options)
      }),
    )
}

function addGrantCommands(program: Command, context: CommandContext): void {
  addServerOptions(program.command('grant'))
    .description('give a role to a user, by the rolebinding <user>-<role>')
    .argument('<user>', 'name of the user')
    .argument('<role>', 'name of the role')
    .option('--plan', planWords)
    .action(
      runCommand(context, async (user: string, role: string, options: GrantOptions) => {
        const { grant } = await import('./grant.ts')
        await grant(context, { user, role }, options)
      }),
    )
  addServerOptions(program.command('revoke'))
    .description('take a role from a user, out of every rolebinding that gives it')
    .argument('<user>', 'name of the user')
    .argument('<role>', 'name of the role')
    .option('--plan', planWords)
    .action(
      runCommand(context, async (user: string, role: string, options: GrantOptions) => {
        const { revoke } = await import('./grant.ts')
        await revoke(context, { user, role }, options)
      }),
    )
}

function addQuestions(program: Command, context: CommandContext): void {
  addWhichServer(program.command('can-i'))
    .description('tell whether something is allowed, and why; ends with 0 for yes and 1 for no')
    .argument('<verb>', 'get, list, watch, create, update, patch, delete or deletecollection')
    .argument('<resource>', resourceWords)
    .argument('[name]', 'name of an object')
    .option('--as <user>', 'ask for somebody else')
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (...[verb, resource, name, options]: Asked<CanIOptions>) => {
        const { canI } = await import('./can-i.ts')
        return canI(context, { verb, resource, name }, options)
      }),
    )
  addServerOptions(program.command('who-can'))
    .description('tell which roles allow something, and who holds them')
    .argument('<verb>', 'get, list, watch, create, update, patch, delete or deletecollection')
    .argument('<resource>', resourceWords)
    .argument('[name]', 'name of an object')
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (...[verb, resource, name, options]: Asked<WhoCanOptions>) => {
        const { whoCan } = await import('./who-can.ts')
        return whoCan(context, { verb, resource, name }, options)
      }),
    )
}

function addUserCommands(program: Command, context: CommandContext): void {
  const user = program.command('user').description('look after users')
  addPasswordOptions(addServerOptions(user.command('add')))
    .description('make a user, and its password: asked for without showing it')
    .argument('<name>', 'name of the user, which nobody ever had')
    .option('--display-name <text>', 'what people call it')
    .option('--email <address>', 'where it gets mail')
    .addOption(new Option('--no-password', 'without one: for who signs in by an OpenID Connect provider'))
    .option('--plan', planWords)
    .action(
      runCommand(context, async (name: string, options: AddUserOptions) => {
        const { addUser } = await import('./users.ts')
        await addUser(context, name, options)
      }),
    )
  for (const word of ['disable', 'enable'] as const) {
    addServerOptions(user.command(word))
      .description(word === 'disable' ? 'sign a user out everywhere, and keep it out' : 'let a user in again')
      .argument('<name>', 'name of the user')
      .option('--plan', planWords)
      .action(
        runCommand(context, async (name: string, options: GrantOptions) => {
          const { switchUser } = await import('./users.ts')
          await switchUser(context, { name, disabled: word === 'disable' }, options)
        }),
      )
  }
  addPasswordOptions(addServerOptions(user.command('reset-password')))
    .description("set a user's password; asks for it without showing it")
    .argument('<name>', 'name of the user, who is signed out everywhere')
    .option('--plan', 'only tell what it would do')
    .action(
      runCommand(context, async (name: string, options: ResetOptions) => {
        const { resetPassword } = await import('./users.ts')
        await resetPassword(context, name, options)
      }),
    )
  addServerOptions(user.command('list'))
    .description('list users, as list users does')
    .addOption(outputOption(['table', 'yaml', 'json', 'name']))
    .action(
      runCommand(context, async (options: GrantOptions & { readonly output: Output }) => {
        const { list } = await import('../objects/list.ts')
        return list(context, 'users', { ...options, where: [], label: [], sort: ['metadata.name'] })
      }),
    )
}
