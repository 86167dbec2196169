import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandFault } from '../terminal/command-fault.ts'

/** A server that somebody has signed in on, from here. */
export interface KnownServer {
  readonly url: string
  readonly username: string
  /** Of a session, or a personal access token. */
  readonly token: string
  readonly kind: 'session' | 'token'
  /** Plain http was said to be fine, though others could read along. */
  readonly insecureHttp?: true
}

export interface KnownServers {
  /** The address of the one that is meant when none is named. */
  readonly current?: string
  readonly servers: readonly KnownServer[]
}

/** Where they are kept, by the environment. */
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
    // Said below.
  }
  throw new CommandFault(`${file} is not what a login leaves there`, { next: `rm ${file}  and sign in again` })
}

/** For its owner alone, and never half: whoever reads it meanwhile has the one before. */
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

/** The last one to sign in on is the one that is meant from then on. */
export function withServer({ servers }: KnownServers, server: KnownServer): KnownServers {
  return { current: server.url, servers: [...servers.filter(({ url }) => url !== server.url), server] }
}

export function withoutServer({ current, servers }: KnownServers, gone: string): KnownServers {
  const left = servers.filter(({ url }) => url !== gone)
  const next = current === gone ? left.at(-1)?.url : current
  return { ...(next !== undefined && { current: next }), servers: left }
}
