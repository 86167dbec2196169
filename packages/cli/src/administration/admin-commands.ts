import type { Administration, AdministratorEntry } from '@pergola/server'
import type { Command } from 'commander'
import {
  addKeepTokens,
  addPasswordOptions,
  newPassword,
  tokenWords,
  type KeepTokensOption,
  type PasswordOptions,
} from '../terminal/new-password.ts'
import { expiryOf } from './expiry.ts'
import { addShared, print, runAdministration as run, type SharedOptions as Options } from './run-administration.ts'
import { tableOf } from '../terminal/table.ts'

/** Commands for operators that work without signing in. */
export function addAdminCommands(program: Command): void {
  addShared(program.command('setup-link'))
    .description('create another secret for the first administrator; using one invalidates all others')
    .action((options: Options) => run(options, (administration) => setupLink(administration, options)))

  const admin = program.command('admin').description('restore access for administrators; works on the database itself')
  addShared(admin.command('list'))
    .description('list the super administrators, and which of them can sign in')
    .action((options: Options) => run(options, (administration) => list(administration, options)))

  addKeepTokens(addPasswordOptions(addShared(admin.command('reset-password'))))
    .description("set a user's password; asks for it without showing it")
    .argument('<user>', 'name of the user, who is signed out everywhere')
    .action((user: string, options: Options & PasswordOptions & KeepTokensOption) =>
      run(options, (administration) => resetPassword(administration, user, options)),
    )

  addShared(admin.command('create-token'))
    .description('create a personal access token for a user and print it once')
    .argument('<user>', 'name of the user, whose rights the token has')
    .option('--name <name>', 'name of the token (default: generated)')
    .option('--expires <when>', 'how long, such as 12h or 30d; a date; or never', '30d')
    .action((user: string, options: TokenOptions) =>
      run(options, (administration) => createToken(administration, user, options)),
    )
}

async function setupLink(administration: Administration, options: Options): Promise<void> {
  const { url, page, secret, expiresAt } = await administration.renewSetup()
  const { origin } = new URL(url)
  print(options, { url, page, secret, expiresAt }, [
    `  setup     ${page}  (makes the first administrator, once, until ${timeOf(expiresAt)})`,
    `  secret    ${secret}  (paste it there)`,
    `            or without a browser:`,
    `  next      curl -H 'Origin: ${origin}' -H 'Content-Type: application/json' -d @- ${url}`,
    `            { "secret": "${secret}", "username": "...", "password": "..." }  and Ctrl-D`,
  ])
}

async function list(administration: Administration, options: Options): Promise<void> {
  const administrators = await administration.administrators()
  const [first] = administrators
  const rows = administrators.map((entry) => [
    entry.name,
    stateOf(entry),
    String(entry.sessions),
    entry.bindings.join(', '),
  ])
  const next = first
    ? `  next      pergola admin reset-password ${first.name}`
    : 'There is no super administrator yet.  Next:  pergola setup-link'
  const table = first ? tableOf(['NAME', 'CAN SIGN IN', 'SESSIONS', 'BINDINGS'], rows) : []
  print(options, { items: administrators }, [...table, next])
}

function stateOf({ canSignIn, hasPassword }: AdministratorEntry): string {
  if (!canSignIn) return 'no, disabled'
  return hasPassword ? 'yes' : 'no password'
}

async function resetPassword(
  administration: Administration,
  user: string,
  options: Options & PasswordOptions & KeepTokensOption,
): Promise<void> {
  const { password, made } = await newPassword(user, options)
  const { keepTokens = false } = options
  const { canSignIn, tokens } = await administration.resetPassword(user, password, { keepTokens })
  print(options, { user, canSignIn, tokens, ...(made && { password }) }, [
    ...(made ? [`  password  ${password}  (shown only now)`] : []),
    `  The password of ${user} is set, and ${user} is signed out everywhere.`,
    ...tokenWords(tokens),
    ...(canSignIn ? [] : [`  ${user} is disabled, and cannot sign in until an administrator enables the account.`]),
  ])
}

interface TokenOptions extends Options {
  readonly name?: string
  readonly expires: string
}

async function createToken(administration: Administration, user: string, options: TokenOptions): Promise<void> {
  const expiresAt = expiryOf(options.expires, Date.now())
  const { name, secret } = await administration.createToken(user, {
    ...(options.name !== undefined && { name: options.name }),
    ...(expiresAt && { expiresAt }),
  })
  const end = expiresAt ? `until ${expiresAt.toISOString()}` : 'does not expire'
  print(options, { user, name, token: secret, expiresAt }, [
    `  token     ${secret}  (${name} of ${user}, ${end}; shown only now)`,
    `  next      curl -H 'Authorization: Bearer ...' <server>/apis/api.platform.run/v1alpha1/users/-/permissions`,
  ])
}

function timeOf(date: Date): string {
  return date.toTimeString().slice(0, 5)
}
