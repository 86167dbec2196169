import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandFault } from '../terminal/command-fault.ts'

/** A stored login: a user on a server. */
export interface KnownServer {
  /** Name of the login; by default the server without its scheme. */
  readonly context: string
  readonly url: string
  readonly username: string
  /** Session token or personal access token. */
  readonly token: string
  readonly kind: 'session' | 'token'
  /** The user allowed plain http, which can be intercepted. */
  readonly insecureHttp?: true
}

export interface KnownServers {
  /** Name of the default login. */
  readonly context?: string
  readonly servers: readonly KnownServer[]
}

/** The file; versions before contexts read and write only the URL of the default login. */
interface ServersFile {
  readonly current?: string
  readonly context?: string
  readonly servers: readonly (Omit<KnownServer, 'context'> & { readonly context?: string })[]
}

/** Path of the file with stored logins, from the environment. */
export function serversFileOf(variables: Readonly<Record<string, string | undefined>>): string {
  const folder = variables['XDG_CONFIG_HOME'] || join(variables['HOME'] || homedir(), '.config')
  return join(folder, 'pergola', 'servers.json')
}

export function readServers(file: string): KnownServers {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { servers: [] }
    throw new CommandFault(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    const parsed = JSON.parse(text) as Partial<ServersFile>
    if (Array.isArray(parsed.servers)) return withNames(parsed as ServersFile)
  } catch {
    // Reported below.
  }
  throw new CommandFault(`${file} is not a valid login file`, { next: `rm ${file}  and sign in again` })
}

function withNames({ current, context, servers: stored }: ServersFile): KnownServers {
  const servers = stored.map((one) => Object.assign({ context: usualContext(one.url) }, one))
  const found =
    servers.find((one) => one.context === context && one.url === current) ??
    servers.findLast(({ url }) => url === current)
  return { ...(found && { context: found.context }), servers }
}

/** The name of a login that nobody named. */
export function usualContext(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

/** Writes the file atomically and readable only for its owner. Concurrent readers see the previous content. */
export function writeServers(file: string, known: KnownServers): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${randomBytes(6).toString('hex')}`
  const current = currentServer(known)?.url
  const written: ServersFile = { ...(current !== undefined && { current }), ...known }
  try {
    writeFileSync(next, `${JSON.stringify(written, undefined, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(next, file)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

/** The default login. */
export function currentServer({ context, servers }: KnownServers): KnownServer | undefined {
  return servers.find((one) => one.context === context)
}

/** Adds a login, in place of one with the same name, and makes it the default. */
export function withServer({ servers }: KnownServers, server: KnownServer): KnownServers {
  const others = servers.filter(({ context }) => context !== server.context)
  return { context: server.context, servers: [...others, server] }
}

/** Removes a login. After the default one, the login before it is the default. */
export function withoutServer({ context, servers }: KnownServers, gone: string): KnownServers {
  const left = servers.filter((one) => one.context !== gone)
  const next = context === gone ? left.at(-1)?.context : context
  return { ...(next !== undefined && { context: next }), servers: left }
}
