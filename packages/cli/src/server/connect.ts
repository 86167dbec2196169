import { readFileSync } from 'node:fs'
import type { Client } from '@pergola/client'
import type { CommandContext } from '../command-context.ts'
import { CommandFault, usedWrongly } from '../terminal/command-fault.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { developmentServer } from './development-server.ts'
import { loginAt, loginNamed } from './choose-login.ts'
import { currentServer, readServers, serversFileOf, type KnownServer, type KnownServers } from './servers-file.ts'
import type { ServerOptions } from './server-options.ts'
import { hostOf, serverUrl } from './server-url.ts'
import { whyUnreadable } from '../terminal/why-unreadable.ts'

/** A server with the credential to use. */
export interface ChosenServer {
  readonly url: string
  /** Undefined for anonymous calls. */
  readonly token: string | undefined
  /** Stored login of the server, unless the environment provides the token. */
  readonly known?: KnownServer
}

export interface Connection extends ChosenServer {
  readonly host: string
  readonly client: Client
}

/** Chooses a server, in order: option, environment, `pergola dev` in this folder, last login. */
export async function chooseServer(context: CommandContext, options: ServerOptions): Promise<ChosenServer> {
  const { variables } = context
  const developed = inDevelopment(variables, options)
  if (developed) return developed
  const stored = readServers(serversFileOf(variables))
  const { named, login: known } = wantedLogin(stored, variables, options)
  if (named === undefined && !known) {
    throw new CommandFault('not signed in on any server', {
      exitCode: exitCodes.notSignedIn,
      next: 'pergola login <url>',
    })
  }
  const url = known?.url ?? serverUrl(named ?? '', options)
  const tokenFile = variables['PERGOLA_TOKEN_FILE'] || undefined
  if (tokenFile !== undefined) return { url, token: await readSecretFile(context, tokenFile) }
  if (known) return { url, token: known.token, known }
  throw notSignedIn(url)
}

/** In the folder of a running `pergola dev`, its host is the default. */
function inDevelopment(variables: CommandContext['variables'], { server, context, as }: ServerOptions) {
  const others = ['PERGOLA_SERVER', 'PERGOLA_CONTEXT', 'PERGOLA_TOKEN_FILE'].map((name) => variables[name])
  const isElsewhere = [server, context, ...others].some(Boolean)
  if (as === undefined) return isElsewhere ? undefined : developmentServer(process.cwd())
  if (isElsewhere) throw usedWrongly('--as is for "pergola dev" alone, and another server is named')
  const found = developmentServer(process.cwd(), as)
  if (found) return found
  throw usedWrongly('--as is for "pergola dev", which does not run in this folder', { next: 'pergola dev' })
}

/** Like `chooseServer`, but works without signing in. */
export async function chooseUrl(
  context: CommandContext,
  options: ServerOptions,
): Promise<{ readonly url: string; readonly token: string | undefined }> {
  const { variables } = context
  const { named, login } = wantedLogin(readServers(serversFileOf(variables)), variables, options)
  const isAnonymous = named !== undefined && !login && !variables['PERGOLA_TOKEN_FILE']
  return isAnonymous ? { url: serverUrl(named, options), token: undefined } : chooseServer(context, options)
}

/** The login stored for exactly this server, which no option or variable named. */
export function storedLogin({ variables }: CommandContext, url: string): string | undefined {
  return loginAt(readServers(serversFileOf(variables)), url)?.token
}

interface Wanted {
  /** Address of the server, when an option or a variable names it. */
  readonly named: string | undefined
  readonly login: KnownServer | undefined
}

/** The login that an option names, then a variable, then the default one. */
export function wantedLogin(
  stored: KnownServers,
  variables: CommandContext['variables'],
  { server, context }: ServerOptions,
): Wanted {
  const name = context ?? (server === undefined ? variables['PERGOLA_CONTEXT'] || undefined : undefined)
  if (name !== undefined) return { named: undefined, login: loginNamed(stored, name) }
  const named = server ?? (variables['PERGOLA_SERVER'] || undefined)
  return { named, login: named === undefined ? currentServer(stored) : loginAt(stored, named) }
}

export async function connect(context: CommandContext, options: ServerOptions): Promise<Connection> {
  const server = await chooseServer(context, options)
  return { ...server, host: hostOf(server.url), client: await clientOf(context.version, server) }
}

/** Creates a client; anonymous without a token. */
export async function clientOf(
  version: string,
  { url, token }: Partial<ChosenServer> & { readonly url: string },
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): Promise<Client> {
  const { createClient } = await import('@pergola/client')
  return createClient({ url, token, timeoutMs, headers: { 'user-agent': `pergola-cli/${version}` } })
}

export function notSignedIn(url: string): CommandFault {
  return new CommandFault(`not signed in on ${hostOf(url)}`, {
    exitCode: exitCodes.notSignedIn,
    next: `pergola login ${url}`,
  })
}

/** Reads a secret from a file, because command-line arguments are visible to every user of the machine. */
export async function readSecretFile({ terminal }: CommandContext, file: string): Promise<string> {
  try {
    const text = file === '-' ? await terminal.readInput() : readFileSync(file, 'utf8')
    const secret = text.replace(/\r?\n$/, '')
    if (secret !== '') return secret
  } catch (error) {
    throw usedWrongly(`${file} cannot be read: ${whyUnreadable(error)}`)
  }
  throw usedWrongly(`${file} is empty`)
}
