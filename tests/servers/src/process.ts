import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** The account that servers run under if the tests run as root, because PostgreSQL does not start as root. */
const serviceAccount = 'postgres'
/** Below the ports that the kernel hands out: connections and servers on port 0 cannot take one of these. */
const firstPort = 10_000
const portCount = 20_000

export interface ServerProcess extends AsyncDisposable {
  readonly pid: number
  /** The output so far, for error messages. */
  output(): string
  /** Throws with the output if the process has exited. */
  assertRunning(): void
  /** `kill -9` of the process and its children; resolves when all have exited. */
  kill(): Promise<void>
  /** SIGSTOP to the process and its children. */
  freeze(): void
  /** SIGCONT to the process and its children. */
  thaw(): void
}

/** Starts a server that exits with this process, even if this process is killed. */
export function startServer(command: readonly string[], env: Readonly<Record<string, string>> = {}): ServerProcess {
  const [program, ...args] = [...asServiceAccount(), '--pdeathsig', 'INT', '--', ...command]
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += String(chunk)))
  child.stderr.on('data', (chunk) => (printed += String(chunk)))
  child.on('error', (error) => (printed += String(error)))
  return {
    // The program that drops privileges executes the server in the same process.
    pid: child.pid ?? 0,
    output: () => printed,
    assertRunning: () => {
      if (child.exitCode !== null) throw new Error(`${command[0]} ended with ${child.exitCode}:\n${printed}`)
    },
    kill: () => kill(child),
    freeze: () => signalAll(child, 'SIGSTOP'),
    thaw: () => signalAll(child, 'SIGCONT'),
    [Symbol.asyncDispose]: () => stop(child),
  }
}

/** Runs a command under the service account and waits for it. */
export function runAsServiceAccount(command: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const [program, ...args] = [...asServiceAccount(), '--', ...command]
  const { status, stderr, stdout, error } = spawnSync(program, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${error?.message ?? ''}${stdout}${stderr}`)
}

/** As `runAsServiceAccount`, without blocking this process. */
export async function runMeanwhile(command: readonly string[]): Promise<void> {
  const [program, ...args] = [...asServiceAccount(), '--pdeathsig', 'KILL', '--', ...command]
  await promisify(execFile)(program, args)
}

/** User and group of the service account, if it is not the current account. */
export function serviceAccountIds(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, serviceAccount], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

/** A port that is free now and that only another call of this function can take. */
export async function freePort(): Promise<number> {
  const port = firstPort + randomInt(portCount)
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    server.close()
    await once(server, 'close')
    return port
  } catch {
    return freePort()
  }
}

function asServiceAccount(): [string, ...string[]] {
  if (process.getuid?.() !== 0) return ['setpriv']
  return ['setpriv', '--reuid', serviceAccount, '--regid', serviceAccount, '--init-groups']
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(timer)
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  // Stop the parent first, so that it neither starts another child nor notices that one exits.
  child.kill('SIGSTOP')
  const children = childrenOf(child.pid)
  for (const pid of children) signalIfThere(pid, 'SIGKILL')
  child.kill('SIGKILL')
  await ended
  while (children.some(isAlive)) await sleep(5)
}

/** The parent comes first, so that it cannot start another child meanwhile. */
function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  child.kill(signal)
  for (const pid of childrenOf(child.pid)) signalIfThere(pid, signal)
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => statOf(pid)?.parent === parent)
}

function isAlive(pid: number): boolean {
  const state = statOf(pid)?.state
  return state !== undefined && state !== 'Z'
}

/** Undefined if there is no such process. */
function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
