import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** For all: later starts of the same code are faster. */
const compiled = join(import.meta.dirname, '../../node_modules/.cache/compiled')

export interface Started extends AsyncDisposable {
  readonly pid: number
  output(): string
  /** Throws with the output if the process has ended. */
  assertRunning(): void
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
}

export interface StartOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** For a command that runs to its end. */
export interface RunOptions extends StartOptions {
  readonly seconds: number
}

/** Starts a process that ends with this one, in an environment of its own. */
export function startProcess(command: readonly string[], { cwd, env }: StartOptions): Started {
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...command], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_COMPILE_CACHE: compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pid = child.pid ?? 0
  let printed = ''
  const keep = (chunk: unknown) => {
    printed = (printed + String(chunk)).slice(-100_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  child.on('error', keep)
  const ended = once(child, 'close').then(() => child.exitCode)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    pid,
    ended,
    output: () => printed,
    assertRunning: () => {
      if (hasEnded()) throw new Error(`${command.join(' ')} ended with ${child.exitCode}:\n${printed.slice(-3_000)}`)
    },
    [Symbol.asyncDispose]: async () => {
      if (hasEnded()) return
      const all = processTree(pid)
      child.kill('SIGTERM')
      const timer = setTimeout(() => all.forEach(killIfThere), 5_000)
      await ended
      clearTimeout(timer)
      all.slice(1).forEach(killIfThere)
    },
  }
}

/** Runs a command to its end; throws with its output if it fails or takes too long. */
export async function run(command: readonly string[], options: RunOptions): Promise<string> {
  await using started = startProcess(command, options)
  const timer = setTimeout(() => processTree(started.pid).forEach(killIfThere), options.seconds * 1000)
  const code = await started.ended
  clearTimeout(timer)
  if (code === 0) return started.output()
  throw new Error(`${command.join(' ')} ended with ${code}: ${started.output().slice(-1_000)}`)
}

/** The process and all below it. */
export function processTree(root: number): readonly number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name))
  }
  const tree = [root]
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  }
  return tree
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}

/** Resident memory of the processes, in MiB. */
export function residentMegabytes(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
