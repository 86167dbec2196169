import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ownCommand = join(import.meta.dirname, '../../packages/cli/src/main.ts')
/** Compile cache of Node.js, so that later starts are faster. */
const compiled = join(import.meta.dirname, '../../node_modules/.cache/compiled')

/** A `pergola` process, run from source in a separate folder. */
export interface PergolaProcess extends AsyncDisposable {
  readonly directory: string
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Waits until the server listens. */
  url(): Promise<string>
  signal(name: NodeJS.Signals): void
  /** Resolves with the exit code. */
  exited: Promise<number | null>
}

export interface PergolaOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files to write before the start, by name. */
  readonly files?: Readonly<Record<string, string>>
  readonly directory?: string
  /** The command's source, if it is in another checkout. */
  readonly command?: string
}

export function startPergola(options: PergolaOptions = {}): PergolaProcess {
  const { args = ['serve'], env = {}, files = {}, directory, command = ownCommand } = options
  const cwd = directory ?? mkdtempSync(join(tmpdir(), 'pergola-process-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const node = [process.execPath, '--conditions=@pergola/source', command, ...args]
  // It dies with this process, which may be killed.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...node], {
    cwd,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled, PERGOLA_SERVER_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (printed.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (printed.stderr += String(chunk)))
  const exited = once(child, 'close').then(() => child.exitCode)
  return {
    directory: cwd,
    pid: child.pid ?? 0,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    url: async () => {
      for (;;) {
        const url = urlIn(printed.stdout)
        if (url !== undefined) return url
        if (child.exitCode !== null) throw new Error(`pergola ended with ${child.exitCode}: ${printed.stderr}`)
        await sleep(20)
      }
    },
    signal: (name) => child.kill(name),
    exited,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
      if (directory === undefined) rmSync(cwd, { recursive: true, force: true })
    },
  }
}

/** The URL of the server from its banner or its line of JSON, or from the head of `pergola dev`; undefined before that. */
export function urlIn(stdout: string): string | undefined {
  return /(?:api +|"url":")(https?:[^"\s]+)["\s]/.exec(stdout)?.[1]
}
