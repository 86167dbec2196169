import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { threadsEach, type Cgroup, type ProcessUse } from './cgroups.ts'
import { hasOnlyDebuggerLeft } from './inspector.ts'
import type { StartDocument } from './launch-here.ts'
import type { LaunchOptions, HostLimits } from './launch-options.ts'
import { createLineLog } from './line-log.ts'
import { followOutput } from './output.ts'
import { markerName, watchProcesses, yieldToHost } from './plugin-processes.ts'
import type { PluginExit, Running } from './running.ts'
import { watchScratch } from './scratch-size.ts'

/** How long a plugin that was asked to stop may take to finish its work. */
const stopMs = 5_000
/** How long to read the rest of an exited plugin's output: an undetected process may hold the pipe forever. */
const lastWordsMs = 1_000
/** Part of util-linux, which every Linux has. */
const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => existsSync(file))
const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((file) => existsSync(file))

/** Starts the process of a plugin, and limits what it and its children use until it has exited. */
export function launch(options: LaunchOptions, document: StartDocument): Running {
  const { directory, limits } = options
  const marker = randomBytes(16).toString('hex')
  const child = start(options, marker)
  const log = createLineLog((line) => {
    options.onLine(line)
    if (options.inspector && hasOnlyDebuggerLeft(line)) kill('has ended')
  })
  const output = followOutput(
    [child.stdout, child.stderr].filter((stream): stream is Readable => !!stream),
    log,
  )
  // Secrets are passed by a pipe, because other users can read arguments and environments.
  const pipe = child.stdio[3] as NodeJS.WritableStream
  pipe.on('error', () => {})
  pipe.end(JSON.stringify(document))
  let why: string | undefined
  const kill = (reason: string) => {
    why ??= reason
    processes?.kill()
  }
  const { pid } = child
  const cgroup = pid === undefined ? undefined : cgroupOf(options, pid, marker)
  let use: ProcessUse | undefined
  const enforce = limitsOf(options, kill)
  const onUse = (latest: ProcessUse) => {
    use = latest
    enforce(latest)
  }
  const processes = pid === undefined ? undefined : watchProcesses({ ...options, pid, marker, cgroup }, onUse)
  const scratch = watchScratch(directory, limits.scratchBytes, kill)
  if (pid !== undefined && !options.inspector) yieldToHost(pid)
  const exited = endOf(child).then(async ({ code, signal, failure }): Promise<PluginExit> => {
    if (cgroup?.hasRunOut()) why ??= `used more than ${mebibytes(limits.memoryBytes)} MiB of memory`
    scratch[Symbol.dispose]()
    // Kills the children that it left behind.
    processes?.[Symbol.dispose]()
    if (failure === undefined) await Promise.race([hasClosed(child), sleep(lastWordsMs, undefined, { ref: false })])
    output[Symbol.dispose]()
    const how = why ?? failure ?? (signal === null ? `ended with code ${code}` : `was ended by ${signal}`)
    return { how, code, signal, lines: log.lines() }
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => kill('did not stop when it was asked to'), stopMs)
    await exited
    clearTimeout(timer)
  }
  return { pid: pid ?? 0, log, exited, use: () => use, kill, stop }
}

/** The host's environment is not passed on. */
function start(options: LaunchOptions, marker: string): ChildProcess {
  const { directory, limits, account } = options
  const [program = '', ...words] = dyingWithUs(boundedBy(limits, inspectable(options), account !== undefined))
  return spawn(program, words, {
    cwd: directory,
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: directory,
      TMPDIR: directory,
      TZ: 'UTC',
      PERGOLA_PROTOCOL: '1',
      [markerName]: marker,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // In its own process group, so that a signal of the terminal reaches only the host.
    detached: true,
    ...(account && { uid: account.uid, gid: account.gid }),
  })
}

/**
 * The kernel kills the program when the host exits in any state: a program in an endless loop would not notice a signal.
 * Returns the command unchanged if the system does not support this.
 */
function dyingWithUs(command: readonly string[]): readonly string[] {
  return setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...command]
}

/** Kernel limits: polling is too slow for a fork bomb, and does not see a deleted file. */
function boundedBy(
  { processes, scratchBytes }: HostLimits,
  command: readonly string[],
  hasAccount: boolean,
): readonly string[] {
  if (prlimit === undefined) return command
  // Processes are counted per account.
  const ofAccount = hasAccount ? [`--nproc=${processes * threadsEach}`] : []
  return [prlimit, `--fsize=${scratchBytes}`, ...ofAccount, '--', ...command]
}

function inspectable({ command, inspector }: LaunchOptions): readonly string[] {
  const [program = '', ...words] = command
  return inspector ? [program, ...inspector.words, ...words] : command
}

/** The process is still executing `setpriv`, so it has no children that the cgroup would miss. */
function cgroupOf({ cgroups, limits, name }: LaunchOptions, pid: number, marker: string): Cgroup | undefined {
  const cgroup = cgroups?.create(`plugin-${name}-${marker.slice(0, 8)}`, limits)
  if (cgroup?.add(pid)) return cgroup
  cgroup?.[Symbol.dispose]()
  return undefined
}

interface ProcessEnd extends Pick<PluginExit, 'code' | 'signal'> {
  /** Why the process could not be started at all. */
  readonly failure?: string
}

async function endOf(child: ChildProcess): Promise<ProcessEnd> {
  const failed = once(child, 'error').then(([error]) => `cannot be started: ${(error as Error).message}`)
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const first = await Promise.race([failed, ended.catch(() => failed)])
  return typeof first === 'string' ? { code: null, signal: null, failure: first } : { code: first[0], signal: first[1] }
}

/** Resolves when all its output was read. */
async function hasClosed({ stdout, stderr }: ChildProcess): Promise<void> {
  for (const stream of [stdout, stderr]) if (stream && !stream.closed) await once(stream, 'close')
}

/** Returns a function that kills processes that use more than they may. */
function limitsOf(
  { limits, onLine }: Pick<LaunchOptions, 'limits' | 'onLine'>,
  kill: (why: string) => void,
): (use: ProcessUse) => void {
  const { memoryBytes, usualMemoryBytes = memoryBytes, processes: most } = limits
  let isTold = false
  return ({ bytes, processes }) => {
    if (bytes > usualMemoryBytes && !isTold) {
      isTold = true
      const limit = `a host ends it when it uses more than ${mebibytes(usualMemoryBytes)} MiB`
      onLine(`it uses ${mebibytes(bytes)} MiB of memory; ${limit}, unless definePlugin has needs: { memory }`)
    }
    if (bytes > memoryBytes) kill(`used ${mebibytes(bytes)} MiB of memory; the limit is ${mebibytes(memoryBytes)}`)
    if (processes > most) kill(`had ${processes} processes; the limit is ${most}`)
  }
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
