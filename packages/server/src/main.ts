import { once } from 'node:events'
import { hostname, userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAdministration, type Administration } from './administer.ts'
import { assemble } from './assembly/assemble.ts'
import { recordCommand } from './audit/record-command.ts'
import { ConfigError } from './config/config-error.ts'
import type { Config } from './config/config.ts'
import { checksOf } from './doctor/checks-of.ts'
import type { Check } from './doctor/finding.ts'
import { ownUrl } from './doctor/own-url.ts'
import { consoleFolder, setupPagePath } from './console/read-console.ts'
import { hostVersion } from './base/host-version.ts'
import { freeMemoryWhenQuiet } from './base/free-memory.ts'
import { createLineBuffer } from './base/line-buffer.ts'
import { createLog, type Log } from './base/log.ts'
import { measureProcess } from './base/process-metrics.ts'
import { createReplica } from './base/replica.ts'
import { tellConfigFaults, tellStartFault } from './base/start-faults.ts'
import { looseFiles, looseFileWords, tightening } from './config/loose-files.ts'
import {
  readConfiguration,
  readDatabaseSettings,
  readFile,
  readLogFormat,
  readSettings,
  type Configuration,
  type ConfigurationSource,
} from './config/read-configuration.ts'
import { certificateOf } from './config/tls-certificate.ts'
import { sealingKeysOf } from './config/sealing-keys.ts'
import { readShipped, shippedFolder } from './plugins/package/read-shipped.ts'
import { shownSettings, type ShownSetting } from './config/shown-settings.ts'
import type { Server } from './server.ts'
import type { RestoreOptions, Tell } from './store/backup.ts'
import { backUp, restore, type Restored } from './store/make-backup.ts'
import { startAdvice } from './store/start-advice.ts'

/** Ctrl-C reaches a process through its terminal and again through its parent; only a later signal counts as a second one. */
const sameSignalMs = 500
const parentCheckMs = 250

export interface ServeOptions {
  /** Defaults to `pergola.yaml`, if it exists. */
  readonly configFile?: string
  /** Takes precedence over the configured port. */
  readonly port?: string | undefined
}

/**
 * The server process, from its configuration to its exit code: serves until SIGTERM or SIGINT, then finishes requests in
 * flight. Output for people goes to standard output, the log to standard error.
 */
export async function serve(options: ServeOptions = {}): Promise<number> {
  const started = performance.now()
  const stopped = stopSignal()
  let configuration: Configuration
  try {
    configuration = readConfiguration(sourceOf(options))
  } catch (error) {
    const pretty = isPretty(readLogFormat(sourceOf(options)))
    return refuseConfig(error, (faults) => tellConfigFaults(faults, { pretty, write: stderr }))
  }
  const { file, config, administrator, nats, certificate, providers, keys, given } = configuration
  const replica = createReplica(config.replica.name)
  const log = openLog(config, replica.name)
  for (const loose of looseFiles(config, file)) log.warn({}, `${looseFileWords(loose)}; run  ${tightening(loose)}`)

  await using stack = new AsyncDisposableStack()
  const start = async () => {
    const { host, port } = config.metrics
    // First: metrics created earlier are not exported.
    if (port !== undefined) {
      const { serveMetrics } = await import('./base/metrics-endpoint.ts')
      stack.use(await serveMetrics({ host, port }))
      stack.use(measureProcess())
    }
    const { url, sampling } = config.tracing
    if (url !== undefined) {
      const { exportTraces } = await import('./base/trace-exporter.ts')
      stack.use(exportTraces({ url, sampling, replica: replica.name }))
    }
    const shipped = readShipped(shippedFolder)
    const tls = certificate && { certificate, read: () => certificateOf(config.tls, readFile) }
    const optional = { ...(administrator && { administrator }), ...(nats && { nats }), ...(tls && { tls }) }
    return assemble({ config, replica, ...optional, providers, keys, given, shipped, log })
  }
  const server = await Promise.race([start().catch((error: Error) => error), stopped.then(() => undefined)])
  if (server === undefined) return 0
  if (server instanceof Error) {
    const fault = { reason: server.message, next: startAdvice(server) }
    tellStartFault(fault, log, { pretty: isPretty(config.log.format), write: stderr })
    return 1
  }
  const isReady = await Promise.race([server.ready.then(() => true), stopped.then(() => false)])
  if (isReady) tellReady({ config, server, replica: replica.name }, (performance.now() - started) / 1000)

  freeMemoryWhenQuiet()
  // Otherwise SIGHUP ends the process, as it should with nothing to reopen.
  if (config.audit.file !== undefined || certificate) process.on('SIGHUP', () => server.reopen())
  log.info({ signal: await stopped }, 'stopping')
  await server.close()
  log.info({}, 'stopped')
  return 0
}

/**
 * Runs an operation directly on the database, with the server's configuration. Returns the exit code: 0 on success, 1 on
 * failure, 2 if the configuration is invalid.
 */
export async function administer(
  options: ServeOptions,
  work: (administration: Administration) => Promise<void>,
): Promise<number> {
  return byConfig(options, async (config, operator) => {
    const keys = sealingKeysOf(config.secrets, { readFile, env: process.env })
    await using administration = await openAdministration({ config, keys, log: openLog(config), operator, stderr })
    await work(administration)
  })
}

/** The sealing keys of the configuration and their sources. Needs no database. */
export async function listKeys(options: ServeOptions, show: (keys: readonly ListedKey[]) => void): Promise<number> {
  return byConfig(options, async ({ secrets }) => {
    const keys = sealingKeysOf(secrets, { readFile, env: process.env })
    show(secrets.keys.map((from, at) => ({ id: keys[at]?.id ?? '', from: 'file' in from ? from.file : from.env })))
  })
}

/** What `pergola doctor` can check on this machine. */
export interface Examination {
  /** Where a server with this configuration listens. */
  readonly url: string | undefined
  readonly checks: readonly Check[]
}

/** A configuration that cannot be used is reported as findings. */
export function examine(options: ServeOptions): Examination {
  try {
    const configuration = readConfiguration(sourceOf(options))
    return { url: ownUrl(configuration.config), checks: checksOf(configuration) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const findings = error.message.split('\n').map((words) => ({ level: 'failed' as const, name: 'config', words }))
    return { url: undefined, checks: [{ name: 'config', run: async () => findings }] }
  }
}

export interface InspectedConfiguration {
  readonly file: string | undefined
  /** One line each, with the file and line. */
  readonly faults: readonly string[]
  /** Empty if they cannot be read. */
  readonly settings: readonly ShownSetting[]
}

/** Reads the configuration as `serve` does; starts nothing. */
export function inspectConfiguration(options: ServeOptions): InspectedConfiguration {
  const faults: string[] = []
  const attempt = <Read>(read: (source: ConfigurationSource) => Read): Read | undefined => {
    try {
      return read(sourceOf(options))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(...error.message.split('\n'))
      return undefined
    }
  }
  const settings = attempt(readSettings)
  if (settings) attempt(readConfiguration)
  return { file: settings?.file ?? options.configFile, faults, settings: settings ? shownSettings(settings) : [] }
}

export interface ListedKey {
  readonly id: string
  /** The file or environment variable. */
  readonly from: string
}

/** Backs up the whole database while servers run, or restores it from a file. */
export interface Keeping {
  /** Writes a new file. */
  backUp(to: string, tell: Tell): Promise<void>
  restore(options: RestoreOptions): Promise<Restored>
}

/** Like `administer`, but without preparing the database as a server would. */
export async function keep(options: ServeOptions, work: (keeping: Keeping) => Promise<void>): Promise<number> {
  return byConfig(options, async ({ database: { url, directUrl, schema }, audit: { file } }, user) => {
    // Past a pooler, which would end long statements.
    const place = { url: directUrl ?? url, schema }
    await work({
      backUp: async (to, tell) => {
        await backUp(place, to, tell)
        await recordCommand({ event: 'backup', user }, { file, stderr })
      },
      restore: async (restoring) => {
        const restored = await restore(place, restoring)
        await recordCommand({ event: 'restore', user }, { file, stderr })
        return restored
      },
    })
  })
}

async function byConfig(
  options: ServeOptions,
  work: (config: Config, operator: string) => Promise<void>,
): Promise<number> {
  try {
    await work(readDatabaseSettings(sourceOf(options)), `${userInfo().username}@${hostname()}`)
    return 0
  } catch (error) {
    if (error instanceof ConfigError) {
      return refuseConfig(error, (faults) => tellConfigFaults(faults, { pretty: true, write: stderr }))
    }
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

function sourceOf({ port, ...options }: ServeOptions): ConfigurationSource {
  return { ...options, env: port === undefined ? process.env : { ...process.env, PERGOLA_SERVER_PORT: port } }
}

function refuseConfig(error: unknown, tell: (faults: readonly string[]) => void): number {
  if (!(error instanceof ConfigError)) throw error
  tell(error.message.split('\n'))
  return 2
}

function stdout(text: string): void {
  process.stdout.write(text)
}

function stderr(text: string): void {
  process.stderr.write(text)
}

/** People read the log of a terminal, programs that of anything else. */
function isPretty(format: Config['log']['format']): boolean {
  return format === 'auto' ? process.stderr.isTTY : format === 'pretty'
}

function openLog({ log: { level, format } }: Config, replica?: string): Log {
  const lines = createLineBuffer(stderr)
  // Also when the process fails: writes to pipes, files and terminals complete before this returns.
  process.once('exit', lines.flush)
  return createLog({ level, pretty: isPretty(format), write: lines.write, ...(replica !== undefined && { replica }) })
}

/** The first signal stops the server; a second one exits at once. */
async function stopSignal(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const
  const first = await Promise.race([
    ...signals.map((signal) => once(process, signal).then(() => signal)),
    ...(process.env['npm_command'] === undefined ? [] : [parentEnded()]),
  ])
  const since = performance.now()
  for (const signal of signals) {
    process.on(signal, () => {
      if (performance.now() - since > sameSignalMs) process.exit(1)
    })
  }
  return first
}

/** npx starts a command through a shell that does not forward SIGTERM; the end of that shell counts as the signal. */
async function parentEnded(): Promise<string> {
  const parent = process.ppid
  while (process.ppid === parent) await sleep(parentCheckMs, undefined, { ref: false })
  return 'end of the parent process'
}

interface Started {
  readonly config: Config
  readonly server: Server
  readonly replica: string
}

/** Readable lines on a terminal; otherwise one line of JSON, independent of the log level. */
function tellReady({ config, server, replica }: Started, seconds: number): void {
  const { format } = config.log
  const { publicUrl, database, setupSecret } = server
  // Replaces "every address of this machine" by one that a browser on it can open.
  const url = publicUrl.replace(/^(https?:\/\/)(0\.0\.0\.0|\[::\])(?=:|$)/, '$1localhost')
  if (format === 'pretty' || (format === 'auto' && process.stdout.isTTY)) {
    return stdout(banner({ url, database, setupSecret, seconds }))
  }
  const setup = setupSecret === undefined ? {} : { setup: url + setupPagePath(consoleFolder), setupSecret }
  const log = createLog({ level: 'info', pretty: false, write: stdout, replica })
  log.info({ url, version: hostVersion, database, ...setup }, 'ready')
}

interface BannerFacts {
  readonly url: string
  readonly database: string
  readonly setupSecret: string | undefined
  readonly seconds: number
}

function banner({ url, database, setupSecret, seconds }: BannerFacts): string {
  return [
    `  pergola ${hostVersion} · ready in ${seconds.toFixed(1)} s`,
    `  api       ${url}`,
    `  console   ${url}/console`,
    `  database  ${database}`,
    ...(setupSecret === undefined
      ? [`  next      open the console, or  pergola login ${url}`]
      : [
          // A link never contains the secret.
          `  next      open ${url}${setupPagePath(consoleFolder)} within an hour, and make the first administrator with this secret:`,
          `  secret    ${setupSecret}`,
        ]),
    '',
  ].join('\n')
}
