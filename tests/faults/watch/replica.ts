import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { urlIn } from '../../end-to-end/pergola-process.ts'
import { openLink, type Link } from './link.ts'

/** The source of this working tree's command. */
export const command = join(import.meta.dirname, '../../../packages/cli/src/main.ts')
/** Bytes of output that are kept, newest last. */
const maxLogLength = 200_000
const restartMs = 200
const upSeconds = 180
const haltMs = 10_000

/** A `pergola serve` that is restarted whenever it exits, with a link to its clients and one to its database. */
export interface Replica extends AsyncDisposable {
  readonly at: number
  /** URL for clients. */
  readonly url: string
  readonly clients: Link
  readonly database: Link
  /** ID of the running process. */
  pid(): number
  /** False while it starts. */
  isUp(): boolean
  signal(name: NodeJS.Signals): void
  untilUp(): Promise<void>
  /** Stops it without a restart; resolves when it has exited. */
  halt(): Promise<void>
  /** Starts it after `halt`, as the program at this path or as before. */
  proceed(program?: string): void
  log(): string
}

export interface ReplicaOptions {
  readonly at: number
  /** Direct URL, without a link. */
  readonly databaseUrl: string
  /** The command to run, if it is in another checkout. */
  readonly program?: string
  readonly env?: Readonly<Record<string, string>>
}

export async function startReplica({
  at,
  databaseUrl,
  program: first = command,
  env: more = {},
}: ReplicaOptions): Promise<Replica> {
  const [clients, database] = [await openLink(), await openLink()]
  const directory = mkdtempSync(join(tmpdir(), 'pergola-history-'))
  const throughLink = new URL(databaseUrl)
  database.target = Number(throughLink.port)
  throughLink.port = String(database.port)
  const env = {
    PATH: process.env['PATH'],
    PERGOLA_SERVER_PORT: '0',
    PERGOLA_DATABASE_URL: throughLink.href,
    // A stream whose reader vanished counts for a while.
    PERGOLA_WATCH_MAX_PER_USER: '2000',
    PERGOLA_LOG_LEVEL: 'warn',
    ...more,
  }
  let program = first
  let child: ChildProcess
  let log = ''
  let isOver = false
  let isHalted = false
  const run = () => {
    let printed = ''
    // Ends with this process, even while it is stopped.
    const node = [process.execPath, '--conditions=@pergola/source', program, 'serve']
    child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...node], {
      cwd: directory,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout?.on('data', (chunk) => {
      if (clients.target === undefined) printed += String(chunk)
      clients.target ??= portIn(printed)
    })
    child.stderr?.on('data', (chunk) => (log = `${log}${String(chunk)}`.slice(-maxLogLength)))
    child.once('exit', () => {
      clients.target = undefined
      setTimeout(() => isOver || isHalted || run(), restartMs)
    })
  }
  run()
  return {
    at,
    url: `http://127.0.0.1:${clients.port}`,
    clients,
    database,
    pid: () => child.pid ?? 0,
    isUp: () => clients.target !== undefined,
    signal: (name) => child.kill(name),
    untilUp: async () => {
      const deadline = performance.now() + upSeconds * 1000
      while (clients.target === undefined) {
        if (performance.now() > deadline) throw new Error(`replica ${at} does not come up:\n${log.slice(-2_000)}`)
        await sleep(20)
      }
    },
    halt: async () => {
      isHalted = true
      const exited = once(child, 'exit')
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        const timer = setTimeout(() => child.kill('SIGKILL'), haltMs)
        await exited
        clearTimeout(timer)
      }
      // A pending restart has noticed the halt by then.
      await sleep(restartMs)
    },
    proceed: (next = program) => {
      program = next
      isHalted = false
      run()
    },
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      isOver = true
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
      }
      await clients[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function portIn(stdout: string): number | undefined {
  const url = urlIn(stdout)
  return url === undefined ? undefined : Number(new URL(url).port)
}
