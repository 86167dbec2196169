import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { urlIn } from '../../end-to-end/pergola-process.ts'
import { seedAdministrator } from '../../end-to-end/seed-administrator.ts'
import { ask, type Answer } from '../watch/ask.ts'
import { installPackage } from './install-package.ts'

const cli = join(import.meta.dirname, '../../../packages/cli')
const token = 'pgs_lone-host-lone-host-lone-host-lone-host'
const plugins = '/apis/plugin.platform.run/v1alpha1/plugins'
const ownApi = '/apis/console.api.platform.run/v1alpha1/plugins'
const upMs = 60_000
const lookMs = 50
/** Bytes of output that are kept, newest last. */
const maxLogLength = 100_000

export const loneHostEngines = ['SQLite', 'PostgreSQL 18'] as const

interface PluginSeen {
  readonly spec: { readonly version: string }
  readonly status?: {
    readonly phase?: string
    readonly reason?: string
    readonly message?: string
    readonly upgrade?: { readonly phase: string; readonly message?: string }
  }
}

/** One `pergola serve` with a signed-in administrator. */
export interface LoneHost extends AsyncDisposable {
  readonly url: string
  readonly token: string
  readonly pid: number
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  install(body: Buffer): Promise<Response>
  /** Undefined if the plugin does not exist. */
  plugin(name: string): Promise<PluginSeen | undefined>
  /** Waits until the plugin has the wanted state; throws with its actual state. */
  untilPlugin(name: string, fits: (seen: PluginSeen) => boolean, timeoutMs?: number): Promise<PluginSeen>
  uninstall(name: string): Promise<void>
  /** Purges the plugin and waits until it is gone. */
  purge(name: string): Promise<void>
  residentMegabytes(): number
}

export interface LoneHostOptions {
  /** Whether to run the build of `npm run build` instead of the sources. */
  readonly compiled?: boolean
  /** Folder of the control group for the host and its plugins. */
  readonly group?: string
  /** Settings besides those of every lone host. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether PostgreSQL waits for the disk. */
  readonly durable?: boolean
}

export async function startLoneHost(
  engine: (typeof loneHostEngines)[number],
  { compiled = false, group, env = {}, durable = false }: LoneHostOptions = {},
): Promise<LoneHost> {
  await using running = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'pergola-lone-'))
  running.defer(() => rmSync(directory, { recursive: true, force: true }))
  const databaseUrl = engine === 'SQLite' ? `sqlite:${join(directory, 'data.db')}` : await postgresFor(running, durable)
  await seedAdministrator(databaseUrl, token)
  // Ends with this process, together with its plugins.
  const program = compiled ? [join(cli, 'bin/pergola.js')] : ['--conditions=@pergola/source', join(cli, 'src/main.ts')]
  const node = [process.execPath, ...program, 'serve']
  const joined = group === undefined ? [] : ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...joined, ...node], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PERGOLA_SERVER_PORT: '0',
      PERGOLA_SERVER_STOP_DELAY: '0',
      PERGOLA_SERVER_DRAIN_TIMEOUT: '1',
      PERGOLA_DATABASE_URL: databaseUrl,
      PERGOLA_LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (printed.stdout = `${printed.stdout}${String(chunk)}`.slice(-maxLogLength)))
  child.stderr.on('data', (chunk) => (printed.stderr = `${printed.stderr}${String(chunk)}`.slice(-maxLogLength)))
  const exited = once(child, 'exit')
  running.defer(async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await exited
    clearTimeout(timer)
  })
  const deadline = performance.now() + upMs
  let url: string | undefined
  while (url === undefined) {
    url = urlIn(printed.stdout)
    const isOver = child.exitCode !== null || performance.now() > deadline
    if (url === undefined && isOver) throw new Error(`the host does not come up:\n${printed.stderr.slice(-2_000)}`)
    await sleep(lookMs)
  }
  const moved = running.move()
  return hostAt({ url, pid: child.pid ?? 0, end: () => moved.disposeAsync() })
}

async function postgresFor(running: AsyncDisposableStack, durable: boolean): Promise<string> {
  const server = running.use(await startPostgres('18', { durable }))
  return running.use(await createDatabase(server.url)).url
}

interface Started {
  readonly url: string
  readonly pid: number
  readonly end: () => Promise<void>
}

function hostAt({ url, pid, end }: Started): LoneHost {
  const asking: LoneHost['ask'] = (method, path, body) =>
    ask({ url, token, method, path, body, ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }) })
  const plugin: LoneHost['plugin'] = async (name) => {
    const { status, text } = await asking('GET', `${plugins}/${name}`)
    return status === 200 ? (JSON.parse(text) as PluginSeen) : undefined
  }
  const order = async (name: string, what: string) => {
    const { status, text } = await asking('POST', `${ownApi}/${name}/${what}`)
    if (status !== 200) throw new Error(`${what} of ${name}: ${status} ${text}`)
  }
  const untilPlugin: LoneHost['untilPlugin'] = async (name, fits, timeoutMs = 20_000) => {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const seen = await plugin(name)
      if (seen && fits(seen)) return seen
      if (performance.now() > deadline) throw new Error(`${name} is ${JSON.stringify(seen?.status)}`)
      await sleep(lookMs)
    }
  }
  return {
    url,
    token,
    pid,
    ask: asking,
    install: (body) => installPackage({ url, token }, body),
    plugin,
    untilPlugin,
    uninstall: async (name) => {
      await order(name, 'uninstall')
      await untilPlugin(name, ({ status }) => status?.reason === 'Uninstalled')
    },
    purge: async (name) => {
      await order(name, 'purge')
      const deadline = performance.now() + upMs
      while (await plugin(name)) {
        if (performance.now() > deadline) throw new Error(`${name} is not purged after ${upMs / 1000} s`)
        await sleep(lookMs)
      }
    },
    residentMegabytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    [Symbol.asyncDispose]: end,
  }
}
