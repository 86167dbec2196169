import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import type { Server } from '../../packages/server/src/server.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { givenSettingsOf } from '../../packages/server/src/config/plugin-files-settings.ts'
import { sealingKeysOf } from '../../packages/server/src/config/sealing-keys.ts'
import { createMigratedDatabase } from '../../packages/server/src/store/contract/migrated-database.ts'
import { oidcProvidersOf } from '../../packages/server/src/config/oidc-provider.ts'
import type { OidcProviderSettings } from '../../packages/server/src/config/oidc-settings.ts'
import { seedAdministrator } from '../end-to-end/seed-administrator.ts'
import { createCollection, type Collection } from './collection.ts'
import { connect, type ConnectOptions, type Connection } from './connecting.ts'
import { fillModel, type Filling } from './fill-model.ts'
import { freshModel, registerModel, thingModel, type ModelSpec } from './models.ts'
import { closeIdle, open, send, type Answer, type RequestOptions } from './request.ts'
import { watch, type WatchOptions, type Watching } from './watching.ts'

const token = 'pgs_conformance-conformance-conformance'

interface OpenOptions extends Pick<RequestOptions, 'token' | 'headers'> {
  readonly accept?: string
}

/** The server of a test file on one engine, as tests use it. */
export interface Api {
  readonly engine: Engine
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** The response to a GET before its body is read; the caller must read or destroy it. */
  open(path: string, options?: OpenOptions): Promise<IncomingMessage>
  watch(path: string, options?: WatchOptions): Promise<Watching>
  /** Opens a WebSocket that is not a watch, by default as the administrator. */
  connect(path: string, options?: ConnectOptions): Promise<Connection>
  /** The model `things`, registered at the first call. */
  things(): Promise<Collection>
  /** Registers a new model: `things` under unique names, with these parts replaced. */
  model(parts?: Partial<ModelSpec>): Promise<Collection>
  /** Signs a user in without a password; returns the token of the session. */
  signIn(user: string): Promise<string>
  /** The setup secret that the server printed at start; undefined when there is an administrator. */
  setupSecret(): string | undefined
  /** The `Origin` of the server's own pages. */
  origin(): string
  /** Another replica on the same database. SQLite allows only one process, so there it is the same server. */
  replica(): Promise<Pick<Api, 'request' | 'watch'>>
  /** The log of the server, with `keepsLog`. */
  logged(): string
  /** Stops the server and starts it again on the same database. */
  restart(meanwhile?: (databaseUrl: string) => Promise<void>): Promise<void>
  /** Stores many objects of a model while the server is stopped. */
  fill(models: Collection, objects: Filling['objects']): Promise<void>
  /** Makes the objects unreadable, except for up to 16 MB that SQLite may have cached. */
  breakDatabase(): Promise<void>
  /** The URL of the server's database. */
  databaseUrl(): string
}

const engines = ['SQLite', 'PostgreSQL 18'] as const
export type Engine = (typeof engines)[number]
/** Limited by `TEST_ENGINE`, for a quick run on one engine. */
export const chosenEngines = engines.filter((engine) => (process.env['TEST_ENGINE'] ?? engine) === engine)

/** Settings of a file's servers that replace the usual ones. */
export interface ServerSettings {
  /** Read when a server starts. */
  readonly providers?: () => readonly OidcProviderSettings[]
  readonly env?: Readonly<Record<string, string>>
  /** Sections of the configuration file; read when a server starts. */
  readonly file?: () => object
  /** Values for `{ env }` in the configuration file. */
  readonly variables?: Readonly<Record<string, string>>
  readonly keepsLog?: boolean
  /** Packages that ship with the host; read when a server starts. */
  readonly shipped?: () => Promise<readonly Buffer[]>
  /** Starts without an administrator, like a new installation. */
  readonly unseeded?: boolean
}

/** Declares the same tests on every engine. */
export function onEachEngine(declare: (api: Api) => void, settings: ServerSettings = {}): void {
  for (const engine of chosenEngines) {
    describe(engine, () => {
      const running = new RunningServer(engine, settings)
      beforeAll(() => running.start())
      afterAll(() => running[Symbol.asyncDispose]())
      declare(createApi(running))
    })
  }
}

/** Runs `make` at most once, at the first call, so that its failure affects only the tests that need it. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => (made ??= make())
}

function createApi(running: RunningServer): Api {
  const request: Api['request'] = (method, path, options) => send(running.url, token, { method, path, ...options })
  const register = async (spec: ModelSpec): Promise<Collection> => {
    await registerModel(request, spec)
    return createCollection(request, spec)
  }
  return {
    engine: running.engine,
    request,
    open: (path, { accept, headers, token: others = token } = {}) => {
      const sent = { ...(accept !== undefined && { accept }), ...headers }
      return open(running.url, others, { method: 'GET', path, slowly: true, headers: sent })
    },
    watch: (path, options) => watch({ url: running.url, token }, path, options),
    connect: (path, options) => connect(`${running.url}${path}`, { token, ...options }),
    things: once(() => register(thingModel)),
    model: (parts) => register(freshModel(parts)),
    replica: async () => {
      const url = await running.replica()
      return {
        request: (method, path, options) => send(url, token, { method, path, ...options }),
        watch: (path, options) => watch({ url, token }, path, options),
      }
    },
    signIn: (user) => running.server.signIn(user),
    setupSecret: () => running.server.setupSecret,
    origin: () => running.settings.env?.['PERGOLA_SERVER_PUBLIC_URL'] ?? running.url,
    logged: () => running.log.join(''),
    restart: (meanwhile) => running.restart(meanwhile),
    fill: async ({ spec, modelPath }, objects) => {
      const { body } = await request('GET', modelPath)
      const { edition } = (body as { readonly status: { readonly edition: number } }).status
      await running.restart((url) => fillModel(url, { spec: spec as unknown as Filling['spec'], edition, objects }))
    },
    breakDatabase: () => running.breakDatabase(),
    databaseUrl: () => running.databaseUrl,
  }
}

export interface Database extends AsyncDisposable {
  readonly url: string
}

class RunningServer implements AsyncDisposable {
  readonly engine: Engine
  readonly settings: ServerSettings
  readonly log: string[] = []
  #database: Database | undefined
  #servers: Server[] = []
  #broken = false

  constructor(engine: Engine, settings: ServerSettings) {
    this.engine = engine
    this.settings = settings
  }

  get server(): Server {
    const [server] = this.#servers
    if (!server) throw new Error('the server is not started')
    return server
  }

  get url(): string {
    return this.server.url
  }

  get databaseUrl(): string {
    return this.#database?.url ?? ''
  }

  async start(): Promise<void> {
    if (!this.#database) {
      this.#database = await openDatabase(this.engine)
      if (!this.settings.unseeded) await seedAdministrator(this.#database.url, token)
    }
    this.#servers.push(await startServer(this.#database.url, this))
  }

  async replica(): Promise<string> {
    if (this.engine !== 'SQLite' && this.#servers.length === 1) await this.start()
    return this.#servers.at(-1)?.url ?? this.url
  }

  async restart(meanwhile: (databaseUrl: string) => Promise<void> = async () => {}): Promise<void> {
    await this.#stop()
    await meanwhile(this.databaseUrl)
    await this.start()
  }

  async breakDatabase(): Promise<void> {
    const database = this.#database
    if (!database) return
    this.#broken = true
    if (this.engine === 'SQLite') return breakFile(database.url)
    await database[Symbol.asyncDispose]()
    this.#database = undefined
  }

  async #stop(): Promise<void> {
    for (const { url } of this.#servers) closeIdle(url)
    const closing = await Promise.allSettled(this.#servers.splice(0).map((server) => server.close()))
    const failed = closing.find(({ status }) => status === 'rejected')
    if (failed && !this.#broken) throw new Error('a server could not be stopped', { cause: failed })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
    await this.#database?.[Symbol.asyncDispose]()
  }
}

/** Creates an empty database, which is removed when disposed. */
export async function openDatabase(engine: Engine): Promise<Database> {
  if (engine === 'PostgreSQL 18') return createMigratedDatabase(inject('postgres')['18'])
  const directory = mkdtempSync(join(tmpdir(), 'pergola-conformance-'))
  return {
    url: `sqlite:${join(directory, 'test.db')}`,
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true }),
  }
}

/** Truncates the database after its first page, and empties the write-ahead log. */
function breakFile(url: string): void {
  const file = url.slice('sqlite:'.length)
  truncateSync(`${file}-wal`, 0)
  truncateSync(file, 4096)
}

async function startServer(url: string, { settings, log }: Pick<RunningServer, 'settings' | 'log'>): Promise<Server> {
  const { providers, env = {}, file, variables = {}, keepsLog = false, shipped = async () => [] } = settings
  const config = loadConfig({
    // The file format is YAML, of which JSON is a subset.
    file: { name: 'test.yaml', text: JSON.stringify({ oidc: { providers: providers?.() ?? [] }, ...file?.() }) },
    env: {
      PERGOLA_DATABASE_URL: url,
      PERGOLA_SERVER_PORT: '0',
      PERGOLA_SERVER_STOP_DELAY: '0',
      PERGOLA_SERVER_DRAIN_TIMEOUT: '2',
      ...env,
    },
  })
  const readFile = (name: string) => readFileSync(name, 'utf8')
  return assemble({
    config,
    providers: oidcProvidersOf(config.oidc, readFile),
    keys: sealingKeysOf(config.secrets, { readFile, env: variables }),
    given: givenSettingsOf(config.plugins, { readFile, env: variables }),
    shipped: await shipped(),
    log: keepsLog
      ? createLog({ level: 'info', pretty: false, write: (line) => log.push(line) })
      : createLog({ level: 'error', pretty: false, write: () => {} }),
  })
}
