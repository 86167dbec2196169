import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDevFolder } from './dev-folder.ts'
import { createDevelopedPlugin, type DevelopedPlugin } from './developed-plugin.ts'
import { startHost, type RunningHost } from './development-host.ts'
import { waitForFreePort } from './free-port.ts'
import { headLines } from './head.ts'
import { createOutput } from './output.ts'
import { readPeople } from './people-file.ts'
import { createReloadLoop } from './reload-loop.ts'
import { stopSignal } from './stop-signal.ts'
import { watchSources } from './watch-sources.ts'

const answerMs = 1_000
/** How long to wait for another process that has the port or the database, such as the last run while it stops. */
const patienceMs = 30_000
const checkMs = 100

export interface DevOptions {
  /** Folder of the plugin. */
  readonly folder: string
  readonly port: number
  /** Port for the debugger; undefined disables it. */
  readonly inspectPort: number | undefined
  readonly reset: boolean
  readonly verbose: boolean
  /** Whom the link to the console signs in; by default the administrator. */
  readonly as?: string | undefined
  /** Export conditions for resolving packages. */
  readonly conditions: readonly string[]
  /** Version of the CLI, and so of the host. */
  readonly version: string
  /** Stops when the parent process ends, because npm does not forward SIGTERM. */
  readonly endsWithParent: boolean
  /** Aborted to stop; by default on signals and when the terminal closes. */
  readonly stopping?: AbortSignal
}

/** Runs a host with the plugin of a folder and reloads it on every save, until stopped. Returns the exit code. */
export async function dev(options: DevOptions): Promise<number> {
  const began = performance.now()
  if (!existsSync(join(options.folder, 'package.json'))) {
    return refuse(`there is no package.json in ${options.folder}; run this in the folder of a plugin`, 2)
  }
  const folder = realpathSync(options.folder)
  const other = readPeople(folder)
  if (other && (await isAnswering(other.url)))
    return refuse(`pergola dev runs here already, at ${other.url} (process ${other.pid}); stop it first`, 1)
  const stopping = options.stopping ?? stopSignal(options)
  const output = createOutput({
    write: (text) => process.stdout.write(text),
    colours: process.stdout.isTTY && process.stdout.hasColors(),
    now: () => new Date(),
  })
  const kept = openDevFolder(folder, options)
  const plugin = createDevelopedPlugin({ folder, conditions: options.conditions, output, kept, signal: stopping })
  await using stack = new AsyncDisposableStack()
  const loop = createReloadLoop((saved) => plugin.reload(saved))
  stack.use(watchSources(folder, (files) => loop.saved(files)))
  const preparing = plugin.prepare()
  try {
    await waitForFreePort(options.port, {
      patienceMs,
      onWait: () =>
        output.say('host', [`port ${options.port} is in use; waiting until it is free (--port chooses another)`]),
      signal: stopping,
    })
    const host = stack.use(
      await onceClosed(() => startHost({ ...options, folder, kept, output, plugin }), {
        onWait: () => output.say('host', ['the database is in use; waiting until the other process has stopped']),
        signal: stopping,
      }),
    )
    await preparing
    if (!stopping.aborted) await plugin.begin(host, () => output.print(headOf(options, { began, host, plugin })))
    loop.start()
    await untilAborted(stopping)
    await loop.stop()
    return 0
  } catch (error) {
    return stopping.aborted ? 0 : refuse(`pergola dev cannot start: ${(error as Error).message}${adviceOn(error)}`, 1)
  }
}

/** A run that stops closes its database last. */
async function onceClosed(
  start: () => Promise<RunningHost>,
  { onWait, signal }: { readonly onWait: () => void; readonly signal: AbortSignal },
): Promise<RunningHost> {
  const end = performance.now() + patienceMs
  for (let waits = false; ; waits = true) {
    try {
      return await start()
    } catch (error) {
      if (!/is in use by another process/.test(String(error)) || signal.aborted || performance.now() > end) throw error
      if (!waits) onWait()
      await sleep(checkMs)
    }
  }
}

/** Checks the URL, because another process may have the recorded PID. */
async function isAnswering(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(answerMs) }).catch(() => undefined)
  return answer !== undefined
}

interface Begun {
  readonly began: number
  readonly host: RunningHost
  readonly plugin: DevelopedPlugin
}

function headOf({ version, inspectPort, as }: DevOptions, { began, host, plugin }: Begun): readonly string[] {
  const [model] = plugin.definition?.models ?? []
  return headLines({
    version,
    seconds: (performance.now() - began) / 1000,
    url: host.url,
    signInLink: host.signInLink(),
    as,
    model: model && { apiVersion: `${model.group}/${model.versions[0]?.name ?? ''}`, plural: model.plural },
    debug: inspectPort === undefined ? undefined : `127.0.0.1:${inspectPort}`,
  })
}

/** Adds the CLI option to an error that names a setting of the configuration file. */
function adviceOn(error: unknown): string {
  return /server\.port/.test(String(error)) ? ' (here: --port <port>)' : ''
}

function refuse(message: string, code: number): number {
  process.stderr.write(`${message}\n`)
  return code
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
