import { createMigratedDatabase } from '../../packages/server/src/store/contract/migrated-database.ts'
import { expect, inject, vi } from 'vitest'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import type { AssembleOptions } from '../../packages/server/src/server.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'

const password = 'correct horse battery'
export const plugins = '/apis/plugin.platform.run/v1alpha1/plugins'
const packages = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'

export interface Sent {
  readonly token?: string
  readonly body?: object | Buffer
  /** Content type of a body that is not a package. */
  readonly type?: string
}

interface Answered {
  readonly status: number
  readonly body: Record<string, object>
}

/** A server with an administrator, for tests that install plugins. */
export interface PluginHost extends AsyncDisposable {
  readonly url: string
  readonly databaseUrl: string
  /** The administrator's token. */
  readonly admin: string
  /** The password of all users. */
  readonly password: string
  send(line: string, options?: Sent): Promise<Answered>
  /** Creates a user with a password; returns a session token. */
  user(name: string): Promise<string>
  /** Installs a package with all approvals that its plan lists. */
  install(bytes: Buffer): Promise<Answered>
  /** Waits until the status of a plugin matches. */
  phaseIs(plugin: string, expected: object): Promise<void>
}

const allEngines = ['SQLite', 'PostgreSQL 18'] as const
type Engine = (typeof allEngines)[number]
/** `TEST_PLUGINS_ON` selects one engine, because these tests start many processes. */
export const engines = allEngines.filter((engine) => (process.env['TEST_PLUGINS_ON'] ?? engine) === engine)

interface HostOptions extends Pick<AssembleOptions, 'keys'> {
  readonly env?: Readonly<Record<string, string>>
}

/** With `sharedUrl`, starts another replica on that database. */
export async function startHost(
  engine: Engine,
  sharedUrl?: string,
  { env, ...options }: HostOptions = {},
): Promise<PluginHost> {
  await using started = new AsyncDisposableStack()
  const database =
    engine === 'SQLite' || sharedUrl !== undefined
      ? undefined
      : started.use(await createMigratedDatabase(inject('postgres')['18']))
  const databaseUrl = sharedUrl ?? database?.url ?? 'sqlite::memory:'
  const server = await assemble({
    config: loadConfig({
      env: {
        PERGOLA_DATABASE_URL: databaseUrl,
        PERGOLA_SERVER_PORT: '0',
        PERGOLA_SERVER_STOP_DELAY: '0',
        PERGOLA_SERVER_DRAIN_TIMEOUT: '0',
        ...env,
      },
    }),
    ...options,
    administrator: { username: 'admin', password },
    log: createLog({ level: 'error', pretty: false, write: () => {} }),
  })
  started.defer(async () => void (await server.close()))
  const { url } = server
  const send: PluginHost['send'] = async (line, { token, body, type = 'application/json' } = {}) => {
    const [method = '', path = ''] = line.split(' ')
    const isPackage = Buffer.isBuffer(body)
    const response = await fetch(url + path, {
      method,
      headers: {
        origin: env?.['PERGOLA_SERVER_PUBLIC_URL'] ?? url,
        cookie: 'a=b',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'content-type': isPackage ? 'application/gzip' : type,
      },
      ...(body && { body: isPackage ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text || '{}') as Record<string, object> }
  }
  const admin = await server.signIn('admin')
  const running = started.move()
  return {
    url,
    databaseUrl,
    admin,
    password,
    send,
    user: async (name) => {
      await send('POST /api/v1alpha1/users', { token: admin, body: { metadata: { name } } })
      return server.signIn(name)
    },
    install: async (body) => {
      const plan = await send(`POST ${packages}?plan=true`, { token: admin, body })
      const approvals = (plan.body['approvals'] ?? []) as readonly string[]
      const approved = new URLSearchParams(approvals.map((name): [string, string] => ['approve', name]))
      return send(`POST ${packages}?${String(approved)}`, { token: admin, body })
    },
    phaseIs: async (plugin, expected) => {
      const look = async () => {
        const { body } = await send(`GET ${plugins}/${plugin}`, { token: admin })
        expect(body['status']).toMatchObject(expected)
      }
      await vi.waitFor(look, { timeout: 60_000, interval: 50 })
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
