import { randomBytes } from 'node:crypto'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tracedShare } from '../../base/tracing.ts'
import { launchHere, type StartDocument } from './launch-here.ts'
import type { LaunchOptions } from './launch-options.ts'
import { launch } from './launch.ts'
import { openPluginLink, type PluginLink } from './plugin-link.ts'
import type { PluginExit, Running } from './running.ts'

const healthEveryMs = 15
/** Interval of health checks, and the number of failed ones after which the process is killed. */
export const pulseMs = 5_000
export const mostMissed = 3
/** One failed check may be a busy machine. */
const toldMissed = 2
/** Number of last log lines shown when it could not be started. */
const shownLines = 15

/** A running, healthy plugin. */
export interface PluginProcess extends AsyncDisposable, Pick<Running, 'pid' | 'log' | 'exited' | 'use'> {
  /** Authenticates the host and the plugin to each other while it runs. */
  readonly token: string
  readonly link: PluginLink
}

/** Authenticates a process of a plugin and its host to each other. */
export function newStartToken(): string {
  return `pgp_${randomBytes(32).toString('base64url')}`
}

/** Starts a plugin and waits until it is healthy; on failure throws and cleans everything up. */
export async function startPluginProcess(options: LaunchOptions): Promise<PluginProcess> {
  const { name, limits, account, runHere } = options
  const sockets = mkdtempSync(join(tmpdir(), `pergola-${name.slice(0, 20)}-`))
  if (account) chownSync(sockets, account.uid, account.gid)
  const { token = newStartToken() } = options
  const tracing = tracedShare()
  const document: StartDocument = {
    token,
    listen: join(sockets, 'plugin.sock'),
    host: options.hostSocket,
    ...(tracing !== undefined && { tracing }),
  }
  const running = runHere ? launchHere(runHere, document, options.onLine) : launch(options, document)
  void running.exited.then(() => rmSync(sockets, { recursive: true, force: true }))
  const link = openPluginLink({ name, socket: document.listen, token })
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
  const endPulse = keepPulse(link, running, options.inspector ? tellSilence(options.onLine) : killSilent(running))
  const stopQuietly = () => {
    // Health checks stop when the process is stopping.
    endPulse()
    return stop()
  }
  return { ...running, token, link, [Symbol.asyncDispose]: stopQuietly }
}

type OnMissed = (missed: number) => void

/** Kills a plugin that does not answer health checks. */
function killSilent({ kill }: Pick<Running, 'kill'>): OnMissed {
  return (missed) => {
    if (missed === mostMissed) kill(`did not answer for ${(pulseMs * mostMissed) / 1000} s`)
  }
}

/** Skips a plugin under a debugger, which may be paused for any time. */
function tellSilence(onLine: LaunchOptions['onLine']): OnMissed {
  return (missed) => {
    if (missed === toldMissed) onLine('it does not answer: it may be in an endless loop, or paused by a debugger')
  }
}

/** Checks the health until the process exits, or the returned function is called. */
function keepPulse(link: PluginLink, { exited }: Pick<Running, 'exited'>, onMissed: OnMissed): () => void {
  let missed = 0
  let isOver = false
  const look = async () => {
    missed = (await link.isHealthy()) ? 0 : missed + 1
    if (!isOver) onMissed(missed)
  }
  const timer = setInterval(() => void look(), pulseMs).unref()
  const end = () => {
    isOver = true
    clearInterval(timer)
  }
  void exited.then(end)
  return end
}

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
