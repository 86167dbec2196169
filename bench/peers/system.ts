import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@pergola/test-servers'
import { answerTo, getting, type Dialect } from './dialect.ts'
import { processTree, startProcess, type Started } from './process.ts'

/** A product, installed, with people in a database of its own. */
export interface System {
  /** With its version. */
  readonly name: string
  readonly dialect: Dialect
  /** npm packages that an installation has. */
  readonly packages: number
  /** Stores the people with these numbers, by SQL. */
  load(from: number, to: number): Promise<void>
  start(): Promise<Server>
}

export interface Server extends AsyncDisposable {
  readonly url: string
  /** Its processes, now. */
  pids(): readonly number[]
  /** From the start of the process until it answered the get of a person. */
  readonly startSeconds: number
}

interface PrepareOptions {
  /** An empty database. */
  readonly databaseUrl: string
}

/** A product in a version. */
export interface Product {
  readonly name: string
  /** Installs it unless it is installed; throws with the reason if that fails. */
  install(): Promise<void>
  /** Creates the collection and a token that may only read, create and change people. */
  prepare(options: PrepareOptions): Promise<System>
}

export interface ServerOptions {
  readonly command: (port: number) => readonly string[]
  readonly cwd: string
  readonly env: (port: number) => Readonly<Record<string, string>>
}

const startSeconds = 60

/** Starts a server and waits until it answers the get of a person. */
export async function startSystem(dialect: Dialect, options: ServerOptions): Promise<Server> {
  const {
    url,
    process: started,
    since,
  } = await startUntil(options, async (base) => {
    const { status, body } = await answerTo(base, dialect, getting(dialect, 1))
    if (status !== 200) throw new Error(`it answers ${status}: ${JSON.stringify(body).slice(0, 500)}`)
  })
  return {
    url,
    pids: () => processTree(started.pid),
    startSeconds: since,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  }
}

export interface StartedUntil {
  readonly url: string
  readonly process: Started
  /** Seconds since its start. */
  readonly since: number
}

/** Starts a server on a free port of this machine and waits until `check` does not throw. */
export async function startUntil(
  { command, cwd, env }: ServerOptions,
  check: (url: string) => Promise<void>,
): Promise<StartedUntil> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  const started = startProcess(command(port), { cwd, env: env(port) })
  try {
    await untilPassed(() => check(url), started)
  } catch (error) {
    await started[Symbol.asyncDispose]()
    throw error
  }
  return { url, process: started, since: (performance.now() - began) / 1000 }
}

async function untilPassed(check: () => Promise<void>, started: Started): Promise<void> {
  const deadline = performance.now() + startSeconds * 1000
  for (;;) {
    started.assertRunning()
    try {
      return await check()
    } catch (error) {
      // Refused until the server listens.
      if (performance.now() < deadline) await sleep(10)
      else
        throw new Error(`it is not ready after ${startSeconds} s: ${started.output().slice(-2_000)}`, { cause: error })
    }
  }
}

/** Throws unless the path is answered 2xx. */
export async function expectOk(url: string): Promise<void> {
  const { status } = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  if (status >= 300) throw new Error(`${url}: ${status}`)
}
