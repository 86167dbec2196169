import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from './accounts.ts'
import { hasOnlyDebuggerLeft, type Inspector } from './inspector.ts'
import { launchHere, type RunHere } from './launch-here.ts'
import { boundedTo, dyingWithUs } from './launch.ts'
import { createLineLog, type LineLog } from './line-log.ts'
import { openPluginLink, type PluginLink } from './plugin-link.ts'
import { killAccount, killGroup, watchGroup, yieldToHost } from './process-group.ts'
import type { PluginExit, Running } from './running.ts'

const healthEveryMs = 15
/** Interval of health checks, and the number of failed ones after which the process is killed. */
const pulseMs = 5_000
const mostMissed = 3
/** How long a plugin that was asked to stop may take to finish its work. */
const stopMs = 5_000
/** Number of last log lines shown when it could not be started. */
const shownLines = 15

export interface PluginProcessOptions {
  readonly name: string
  readonly command: readonly string[]
  /** Its working directory. */
  readonly directory: string
  /** The socket of the host's API. */
  readonly hostSocket: string
  readonly limits: PluginLimits
  /** The account it runs as; the host's own by default. */
  readonly account?: Account | undefined
  /** Runs the plugin in the host's own process instead of executing the command. */
  readonly runHere?: RunHere | undefined
  /** Set during development: the process need not answer at a breakpoint, and it is not deprioritized. */
  readonly inspector?: Inspector | undefined
  /** Aborted when the plugin is no longer wanted, in any state. */
  readonly signal?: AbortSignal
  /** Called for every line it writes. */
  readonly onLine: (line: string) => void
}

export interface PluginLimits {
  readonly memoryBytes: number
  /** Maximum number of its processes. */
  readonly processes: number
  /** Timeout from the start until it is healthy. */
  readonly startMs: number
}

/** A running, healthy plugin. */
export interface PluginProcess extends AsyncDisposable, Pick<Running, 'pid' | 'log' | 'exited'> {
  /** Authenticates the host and the plugin to each other while it runs. */
  readonly token: string
  readonly link: PluginLink
}

/** Starts a plugin and waits until it is healthy; on failure throws and cleans everything up. */
export async function startPluginProcess(options: PluginProcessOptions): Promise<PluginProcess> {
  const { name, limits, account, runHere } = options
  const sockets = mkdtempSync(join(tmpdir(), `pergola-${name.slice(0, 20)}-`))
  if (account) chownSync(sockets, account.uid, account.gid)
  const token = `pgp_${randomBytes(32).toString('base64url')}`
  const door = { token, listen: join(sockets, 'plugin.sock') }
  const running = runHere
    ? launchHere(runHere, { ...door, host: options.hostSocket }, options.onLine)
    : launch(options, door)
  void running.exited.then(() => rmSync(sockets, { recursive: true, force: true }))
  const link = openPluginLink({ name, socket: door.listen, token })
  const stop = async () => {
    await running.stop()
    await link[Symbol.asyncDispose]()
  }
  try {
    await untilHealthy(link, running, { startMs: limits.startMs, signal: options.signal })
  } catch (error) {
    running.kill(`is stopped: ${(error as Error).message}`)
    await stop()
    throw error
  }
  if (options.inspector) options.inspector.attend(running)
  keepPulse(link, running, options.inspector ? tellSilence(options.onLine) : killSilent(running))
  return { ...running, token, link, [Symbol.asyncDispose]: stop }
}

type OnMissed = (missed: number) => void

/** Kills a plugin that does not even answer health checks. */
function killSilent({ kill }: Pick<Running, 'kill'>): OnMissed {
  return (missed) => {
    if (missed === mostMissed) kill(`did not answer for ${(pulseMs * mostMissed) / 1000} s`)
  }
}

/** A plugin under a debugger may be paused for as long as its author likes. */
function tellSilence(onLine: PluginProcessOptions['onLine']): OnMissed {
  return (missed) => {
    if (missed === 1) onLine('it does not answer: it may be in an endless loop, or paused by a debugger')
  }
}

function keepPulse(link: PluginLink, { exited }: Pick<Running, 'exited'>, onMissed: OnMissed): void {
  let missed = 0
  const look = async () => {
    missed = (await link.isHealthy()) ? 0 : missed + 1
    onMissed(missed)
  }
  const timer = setInterval(() => void look(), pulseMs).unref()
  void exited.then(() => clearInterval(timer))
}

function launch(options: PluginProcessOptions, door: { readonly token: string; readonly listen: string }): Running {
  const { directory, hostSocket, limits, account } = options
  const command = inspectable(options)
  const bounded = account ? boundedTo(limits.processes, command) : command
  const [program = '', ...words] = dyingWithUs(bounded)
  // In its own process group, so that its children end with it. The host's environment is not passed on.
  const child = spawn(program, words, {
    cwd: directory,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: directory, TZ: 'UTC', PERGOLA_PROTOCOL: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  const log = createLineLog((line) => {
    options.onLine(line)
    if (options.inspector && hasOnlyDebuggerLeft(line)) kill('has ended')
  })
  follow(child, log)
  // Secrets are passed by a pipe: others can read arguments and environments.
  const pipe = child.stdio[3] as NodeJS.WritableStream
  pipe.on('error', () => {})
  pipe.end(JSON.stringify({ ...door, host: hostSocket }))
  const { pid } = child
  let why: string | undefined
  const kill = (reason: string) => {
    why ??= reason
    if (pid !== undefined) killGroup(pid)
  }
  const watch = pid === undefined ? undefined : watchLimits(pid, limits, kill)
  if (pid !== undefined && !options.inspector) yieldToHost(pid)
  const exited = endOf(child).then(({ code, signal, failure }): PluginExit => {
    watch?.[Symbol.dispose]()
    // Kills the children that it left behind.
    if (pid !== undefined) killGroup(pid)
    if (account) killAccount(account)
    log.end()
    const how = why ?? failure ?? (signal === null ? `ended with code ${code}` : `was ended by ${signal}`)
    return { how, code, signal, lines: log.lines() }
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => kill('did not stop when it was asked to'), stopMs)
    await exited
    clearTimeout(timer)
  }
  return { pid: pid ?? 0, log, exited, kill, stop }
}

function inspectable({ command, inspector }: PluginProcessOptions): readonly string[] {
  const [program = '', ...words] = command
  return inspector ? [program, ...inspector.words, ...words] : command
}

function follow({ stdout, stderr }: ChildProcess, log: LineLog): void {
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (chunk: string) => log.write(chunk))
  }
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

function watchLimits(pid: number, limits: PluginLimits, kill: (why: string) => void): Disposable {
  const { memoryBytes, processes: most } = limits
  return watchGroup(pid, ({ bytes, processes }) => {
    if (bytes > memoryBytes) kill(`used ${mebibytes(bytes)} MiB of memory; the limit is ${mebibytes(memoryBytes)}`)
    if (processes > most) kill(`had ${processes} processes; the limit is ${most}`)
  })
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

interface Patience {
  readonly startMs: number
  readonly signal: AbortSignal | undefined
}

async function untilHealthy(
  link: PluginLink,
  { exited, log }: Pick<Running, 'exited' | 'log'>,
  { startMs, signal }: Patience,
): Promise<void> {
  let end: PluginExit | undefined
  void exited.then((exit) => (end = exit))
  const deadline = performance.now() + startMs
  while (performance.now() < deadline) {
    signal?.throwIfAborted()
    if (end) throw new Error(`it ${end.how} before it was healthy${lastLines(end.lines)}`)
    if (await link.isHealthy()) return
    await sleep(healthEveryMs)
  }
  const wanted = `GET /pergola/health on its socket was not answered with 200 within plugins.startTimeout`
  throw new Error(`it was not healthy after ${startMs / 1000} s: ${wanted}${lastLines(log.lines())}`)
}

function lastLines(lines: readonly string[]): string {
  const shown = lines.slice(-shownLines)
  return shown.length === 0 ? '' : `:\n${shown.map((line) => `  ${line}`).join('\n')}`
}
