import { Option, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServerOptions, addWhichServer } from '../server/server-options.ts'
import { collect } from '../terminal/collect.ts'
import { addKeepTokens, addPasswordOptions } from '../terminal/new-password.ts'
import { objectForms, outputOption, type Output } from '../terminal/output-option.ts'
import { runCommand } from '../terminal/run-command.ts'
import type { CanIOptions } from './can-i.ts'
import type { GrantOptions } from './grant.ts'
import { addSessionCommands } from './session-commands.ts'
import type { RoleListOptions } from './roles.ts'
import type { CreateTokenOptions } from './tokens.ts'
import type { AddUserOptions, ResetOptions } from './users.ts'
import type { WhoCanOptions } from './who-can.ts'

const planWords = 'only show what it would do; the server checks it and stores nothing'
const resourceWords = 'todos, todos/status, todos.todo.example.com, or a path such as /apis'

type Asked<Options> = readonly [verb: string, resource: string, name: string | undefined, options: Options]

/** Commands for roles, users, tokens and access checks. */
export function addAccessCommands(program: Command, context: CommandContext): void {
  addGrantCommands(program, context)
  addQuestions(program, context)
  addUserCommands(program, context)
  addTokenCommands(program, context)
  addSessionCommands(program, context)
  const role = program.command('role').description('show roles')
  addServerOptions(role.command('list'))
    .description('list roles by their display names')
    .addOption(outputOption(['table', 'json', 'name']))
    .option('--all', 'include hidden roles')
    .action(
      runCommand(context, async (options: RoleListOptions) => {
        const { listRoles } = await import('./roles.ts')
        await listRoles(context, options)
      }),
    )
}

function addGrantCommands(program: Command, context: CommandContext): void {
  addServerOptions(program.command('grant'))
    .description('grant a role to a user, with the rolebinding <user>-<role>')
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
    .description('revoke a role from a user, in every rolebinding that grants it')
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
    .description('check whether something is allowed, and why; exits with 0 for yes and 1 for no')
    .argument('<verb>', 'get, list, watch, create, update, patch, delete or deletecollection')
    .argument('<resource>', resourceWords)
    .argument('[name]', 'name of an object')
    .option('--as <user>', 'ask for another user')
    .addOption(outputOption(['table', 'json']))
    .action(
      runCommand(context, async (...[verb, resource, name, options]: Asked<CanIOptions>) => {
        const { canI } = await import('./can-i.ts')
        return canI(context, { verb, resource, name }, options)
      }),
    )
  addServerOptions(program.command('who-can'))
    .description('show which roles allow something, and who holds them')
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
  const user = program.command('user').description('manage users')
  addPasswordOptions(addServerOptions(user.command('add')))
    .description('add a user; asks for the password without showing it')
    .argument('<name>', 'user name; names of deleted users cannot be used again')
    .option('--display-name <text>', 'name shown to people')
    .option('--email <address>', 'e-mail address')
    .addOption(new Option('--no-password', 'without a password, for users of an OpenID Connect provider'))
    .option('--plan', planWords)
    .action(
      runCommand(context, async (name: string, options: AddUserOptions) => {
        const { addUser } = await import('./users.ts')
        await addUser(context, name, options)
      }),
    )
  for (const word of ['disable', 'enable'] as const) {
    addServerOptions(user.command(word))
      .description(word === 'disable' ? 'disable a user, who is signed out everywhere' : 'enable a user again')
      .argument('<name>', 'name of the user')
      .option('--plan', planWords)
      .action(
        runCommand(context, async (name: string, options: GrantOptions) => {
          const { switchUser } = await import('./users.ts')
          await switchUser(context, { name, disabled: word === 'disable' }, options)
        }),
      )
  }
  addKeepTokens(addPasswordOptions(addServerOptions(user.command('reset-password'))))
    .description("set a user's password; asks for it without showing it")
    .argument('<name>', 'name of the user, who is signed out everywhere')
    .option('--plan', 'only show what it would do')
    .action(
      runCommand(context, async (name: string, options: ResetOptions) => {
        const { resetPassword } = await import('./users.ts')
        await resetPassword(context, name, options)
      }),
    )
  addServerOptions(user.command('list'))
    .description('list users, as list users does')
    .addOption(outputOption(['table', 'yaml', 'json', 'name', ...objectForms]))
    .action(
      runCommand(context, async (options: GrantOptions & { readonly output: Output }) => {
        const { list } = await import('../objects/list.ts')
        return list(context, 'users', {
          ...options,
          where: [],
          anyOf: [],
          expand: [],
          label: [],
          sort: ['metadata.name'],
        })
      }),
    )
}

function addTokenCommands(program: Command, context: CommandContext): void {
  const token = program.command('token').description('manage your personal access tokens, for programs')
  addServerOptions(token.command('create'))
    .description('create a token and show it, once; it can do at most what you can')
    .option('--description <text>', 'what it is for')
    .option('--expires <when>', 'how long, such as 12h or 30d; a date; or never', '30d')
    .option('--role <role>', 'limit the token to this role of yours; repeatable', collect, [])
    .addOption(new Option('-o, --output <form>', 'output format').choices(['table', 'json', 'token']).default('table'))
    .action(
      runCommand(context, async (options: CreateTokenOptions) => {
        const { createToken } = await import('./tokens.ts')
        await createToken(context, options)
      }),
    )
  addServerOptions(token.command('list'))
    .description('list your tokens')
    .addOption(outputOption(['table', 'json', 'name']))
    .action(
      runCommand(context, async (options: GrantOptions & { readonly output: 'table' | 'json' | 'name' }) => {
        const { listTokens } = await import('./tokens.ts')
        await listTokens(context, options)
      }),
    )
  addServerOptions(token.command('delete'))
    .description('delete one of your tokens, which then no longer works')
    .argument('<name>', 'name of the token')
    .option('--plan', 'only show what it would do')
    .action(
      runCommand(context, async (name: string, options: GrantOptions) => {
        const { deleteToken } = await import('./tokens.ts')
        await deleteToken(context, name, options)
      }),
    )
}
