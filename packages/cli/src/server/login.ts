import { isApiError } from '@pergola/api'
import type { CommandContext } from '../command-context.ts'
import { askLine, askSecret } from '../terminal/ask.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { clientOf, readSecretFile } from './connect.ts'
import {
  readServers,
  serversFileOf,
  usualContext,
  withServer,
  writeServers,
  type KnownServer,
  type KnownServers,
} from './servers-file.ts'
import { hostOf, serverUrl } from './server-url.ts'
import { beginSession, endSession, givenRoles, heldRoles, identityOf } from './session.ts'

export interface LoginOptions {
  readonly username?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
  readonly insecureHttp?: boolean
  readonly context?: string
}

/** Signs in and stores the token for later commands. */
export async function login(context: CommandContext, address: string, options: LoginOptions): Promise<void> {
  const { terminal, variables } = context
  const url = serverUrl(address, options)
  const host = hostOf(url)
  const file = serversFileOf(variables)
  const before = readServers(file)
  const { username, token, kind } = await credentialOf(context, url, options)
  const client = await clientOf(context.version, { url, token })
  const names = givenRoles(await heldRoles(client)).map(({ name }) => name)
  const insecure = options.insecureHttp && url.startsWith('http:') ? { insecureHttp: true as const } : {}
  const name = options.context ?? contextFor(before, { url, username })
  writeServers(file, withServer(before, { context: name, url, username, token, kind, ...insecure }))
  await endPreviousSession(
    context,
    before.servers.find((known) => known.context === name),
  )
  const roles = names.length === 0 ? '' : ` (${[...new Set(names)].join(', ')})`
  await terminal.print([
    `  Signed in as ${username}${roles} on ${host}.`,
    '  next      pergola list <resource>, or pergola plugin list',
  ])
}

/** Without `--context`, a login replaces that of the same user, or else the default one of this server. */
function contextFor(known: KnownServers, { url, username }: Pick<KnownServer, 'url' | 'username'>): string {
  const here = known.servers.filter((one) => one.url === url)
  const same = here.find((one) => one.username === username) ?? here.find(({ context }) => context === known.context)
  return (same ?? here.at(-1))?.context ?? usualContext(url)
}

type Credential = Pick<KnownServer, 'username' | 'token' | 'kind'>

async function credentialOf(context: CommandContext, url: string, options: LoginOptions): Promise<Credential> {
  if (options.tokenFile !== undefined) {
    return credentialOfToken(context, url, await readSecretFile(context, options.tokenFile))
  }
  const { terminal } = context
  const username = options.username ?? (await askUsername(context))
  const question = { prompt: `  password of ${username}  `, option: '--password-file <file>' }
  const password =
    options.passwordFile === undefined
      ? await askSecret(terminal, question)
      : await readSecretFile(context, options.passwordFile)
  const client = await clientOf(context.version, { url })
  const signedIn = await withLoginHint(() => beginSession(client, { username, password }), url)
  return { username: signedIn.username, token: signedIn.token, kind: 'session' }
}

async function askUsername({ terminal }: CommandContext): Promise<string> {
  if (!terminal.canAsk)
    throw usedWrongly('cannot prompt without a terminal; use --username <name>, or --token-file <file>')
  const username = await askLine(terminal, '  user  ')
  if (username === '') throw usedWrongly('the user name is empty; enter a user name, or use --username <name>')
  return username
}

async function credentialOfToken(context: CommandContext, url: string, token: string): Promise<Credential> {
  const client = await clientOf(context.version, { url, token })
  const { username = 'the owner of the token', kind } = await withLoginHint(() => identityOf(client, token), url)
  return { username, token, kind }
}

async function withLoginHint<Got>(work: () => Promise<Got>, url: string): Promise<Got> {
  try {
    return await work()
  } catch (error) {
    if (!isApiError(error) || error.status !== 401) throw error
    throw new CommandFault(error.message, { exitCode: exitCodes.notSignedIn, next: `pergola login ${url}` })
  }
}

/** Ends the previous session, which would otherwise stay valid until it expires. */
async function endPreviousSession(context: CommandContext, previous: KnownServer | undefined): Promise<void> {
  if (previous?.kind !== 'session') return
  const client = await clientOf(context.version, previous)
  await endSession(client).catch(() => false)
}
