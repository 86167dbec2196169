import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { assemble } from './assemble.ts'
import { administratorToken, type AdministratorToken } from './base/administrator-token.ts'
import { administratorOf, type Administrator } from './base/administrator.ts'
import { ConfigError, loadConfig, type Config } from './base/config.ts'
import { createLog } from './base/log.ts'

const defaultConfigFile = 'pergola.yaml'

/** Ctrl-C reaches a process through its terminal and again through its parent; only a later signal is a second one. */
const sameSignalMs = 500

export interface ServeOptions {
  /** Without one, `pergola.yaml` is read when it is there. */
  readonly configFile?: string
}

/**
 * The server process, from its configuration to its exit code: serves until SIGTERM or SIGINT, then finishes what is
 * in flight. What people read goes to standard output, the log to standard error.
 */
export async function serve(options: ServeOptions = {}): Promise<number> {
  const started = performance.now()
  const stopped = stopSignal()
  let config: Config
  let token: AdministratorToken
  let administrator: Administrator | undefined
  try {
    config = loadConfig({ ...configFile(options.configFile), env: process.env })
    token = administratorToken(config.bootstrap, readFile)
    administrator = administratorOf(config.admin, readFile)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`The configuration cannot be used:\n${error.message.replaceAll(/^/gm, '  ')}\n`)
    return 2
  }
  const pretty = config.log.format === 'auto' ? process.stderr.isTTY : config.log.format === 'pretty'
  const log = createLog({ level: config.log.level, pretty, write: (text) => process.stderr.write(text) })

  const assembled = assemble({
    config,
    administratorToken: token.value,
    ...(administrator && { administrator }),
    log,
  }).catch((error: Error) => error)
  const server = await Promise.race([assembled, stopped.then(() => undefined)])
  if (server === undefined) return 0
  if (server instanceof Error) {
    process.stderr.write(`Pergola cannot start: ${server.message}\n`)
    return 1
  }
  process.stdout.write(banner({ ...server, token, seconds: (performance.now() - started) / 1000 }))

  log.info({ signal: await stopped }, 'stopping')
  await server.close()
  log.info({}, 'stopped')
  return 0
}

export function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}

/** The first signal stops; a second one is from somebody in a hurry. */
async function stopSignal(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'] as const
  const first = await Promise.race(signals.map((signal) => once(process, signal).then(() => signal)))
  const since = performance.now()
  for (const signal of signals) {
    process.on(signal, () => {
      if (performance.now() - since > sameSignalMs) process.exit(1)
    })
  }
  return first
}

function configFile(given: string | undefined) {
  const name = given ?? defaultConfigFile
  if (given === undefined && !existsSync(name)) return {}
  return { file: { name, text: readFile(name) } }
}

function readFile(name: string): string {
  try {
    return readFileSync(name, 'utf8')
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

interface BannerFacts {
  readonly url: string
  readonly database: string
  readonly token: AdministratorToken
  readonly setupSecret?: string
  readonly seconds: number
}

function banner({ url, database, token, setupSecret, seconds }: BannerFacts): string {
  const given =
    process.env['PERGOLA_BOOTSTRAP_ADMIN_TOKEN'] === undefined ? token.inShell : '$PERGOLA_BOOTSTRAP_ADMIN_TOKEN'
  const made = `  token     ${token.value}  (of this run; PERGOLA_BOOTSTRAP_ADMIN_TOKEN sets a lasting one)`
  return [
    `  pergola ${version()} · ready in ${seconds.toFixed(1)} s`,
    `  api       ${url}`,
    `  database  ${database}`,
    ...(token.madeNow ? [made] : []),
    ...(setupSecret === undefined
      ? []
      : [`  setup     ${setupSecret}  (makes the first administrator, at ${url}/auth/setup, within an hour)`]),
    `  next      curl -H "Authorization: Bearer ${given}" ${url}/api/v1alpha1/roles`,
    '',
  ].join('\n')
}
