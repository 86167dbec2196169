import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { seedAdministrator } from '../end-to-end/seed-administrator.ts'
import type { Memory, ServerLine } from './processes/server.ts'

export const token = 'pgs_fuzz-fuzz-fuzz-fuzz-fuzz-fuzz-fuzz-fuzz'

export type Engine = 'sqlite' | 'postgres'

/** A server in its own process, to measure its memory and to notice its exit. */
export interface ServerProcess {
  readonly url: string
  /** Memory in use after a garbage collection. */
  memory(): Promise<Memory>
  /** Undefined as long as it runs. */
  ended(): string | undefined
  /** The log of the server. */
  log(): string
}

/** Limit of the kept log, because a server that fails on every request repeats its lines. */
const maxLogLength = 1_000_000

export async function startServer(engine: Engine, running: AsyncDisposableStack): Promise<ServerProcess> {
  const script = join(import.meta.dirname, 'processes/server.ts')
  const database = await openDatabase(engine, running)
  await seedAdministrator(database, token)
  const node = [process.execPath, '--conditions=@pergola/source', '--expose-gc', script, database]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...node], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  let log = ''
  child.stderr?.on('data', (chunk) => {
    if (log.length < maxLogLength) log += String(chunk)
  })
  running.defer(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const ended = () => {
    const how = child.exitCode ?? child.signalCode
    return how === null ? undefined : `the server ended with ${how}`
  }
  const first = await answer(child)
  if (!('url' in first)) throw new Error(`the server did not say where it listens: ${log}`)
  return {
    url: first.url,
    ended,
    log: () => log,
    memory: async () => {
      child.send('memory')
      const line = await answer(child)
      if ('residentBytes' in line) return line
      throw new Error('the server did not say what it holds')
    },
  }
}

async function answer(child: ChildProcess): Promise<ServerLine> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('the server ended before it answered')
  })
  const [line] = (await Promise.race([once(child, 'message'), ended])) as [ServerLine]
  return line
}

async function openDatabase(engine: Engine, running: AsyncDisposableStack): Promise<string> {
  if (engine === 'postgres') {
    const server = running.use(await startPostgres('18'))
    return running.use(await createDatabase(server.url)).url
  }
  const directory = mkdtempSync(join(tmpdir(), 'pergola-fuzz-'))
  running.defer(() => rmSync(directory, { recursive: true, force: true }))
  return `sqlite:${join(directory, 'fuzz.db')}`
}
