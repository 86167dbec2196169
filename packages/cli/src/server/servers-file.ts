import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandFault } from '../terminal/command-fault.ts'

/** A server with a stored login. */
export interface KnownServer {
  readonly url: string
  readonly username: string
  /** Session token or personal access token. */
  readonly token: string
  readonly kind: 'session' | 'token'
  /** The user allowed plain http, which can be intercepted. */
  readonly insecureHttp?: true
}

export interface KnownServers {
  /** URL of the default server. */
  readonly current?: string
  readonly servers: readonly KnownServer[]
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
    const { current, servers } = JSON.parse(text) as Partial<KnownServers>
    if (Array.isArray(servers)) return { ...(current !== undefined && { current }), servers }
  } catch {
    // Reported below.
  }
  throw new CommandFault(`${file} is not a valid login file`, { next: `rm ${file}  and sign in again` })
}

/** Writes the file atomically and readable only for its owner. Concurrent readers see the previous content. */
export function writeServers(file: string, servers: KnownServers): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const written = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(written, `${JSON.stringify(servers, undefined, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(written, file)
  } catch (error) {
    rmSync(written, { force: true })
    throw error
  }
}

/** Adds a login and makes its server the default. */
export function withServer({ servers }: KnownServers, server: KnownServer): KnownServers {
  return { current: server.url, servers: [...servers.filter(({ url }) => url !== server.url), server] }
}

export function withoutServer({ current, servers }: KnownServers, gone: string): KnownServers {
  const left = servers.filter(({ url }) => url !== gone)
  const next = current === gone ? left.at(-1)?.url : current
  return { ...(next !== undefined && { current: next }), servers: left }
}
