import { setTimeout as sleep } from 'node:timers/promises'
import { createAccountEndpoints } from './account/account-endpoints.ts'
import { createLoginLimits } from './account/login-limits.ts'
import { createFirstAdministrator, needsSetup, newSetupSecret, type SetupParts } from './account/setup.ts'
import { createAuthenticate } from './authn/authenticate.ts'
import { sessionCookie } from './authn/cookie.ts'
import { createAuthorize } from './authz/authorize.ts'
import type { Handler } from './base/call.ts'
import type { Administrator } from './base/administrator.ts'
import { systemClock, type Clock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import type { Log } from './base/log.ts'
import { forgetExpired } from './credentials/forget-expired.ts'
import { createKnownCredentials } from './credentials/known-credentials.ts'
import { createPasswords } from './credentials/passwords.ts'
import { createSessions } from './credentials/sessions.ts'
import { createTokens } from './credentials/tokens.ts'
import { createDiscovery } from './discovery/discovery-endpoints.ts'
import { createDispatch } from './dispatch/dispatch.ts'
import type { Endpoint } from './dispatch/endpoint.ts'
import { createReadyz, livez, type HealthCheck } from './http/health.ts'
import { listen } from './http/listener.ts'
import { createDefinitionModel } from './models/definition/definition-model.ts'
import { followDefinitions } from './models/follow-definitions.ts'
import { createIndexBuilder } from './models/index-builder.ts'
import { createStreamLimits } from './models/stream-limits.ts'
import { declarationOf, type Model } from './models/model.ts'
import { createModelRegistry, type ModelRegistry } from './models/registry.ts'
import { createPipeline } from './pipeline.ts'
import { createOwnApi } from './own-api/own-api.ts'
import { createAccessSource } from './platform/access-source.ts'
import { builtInRoles } from './platform/built-in-roles.ts'
import type { Rights } from './platform/rights.ts'
import { createRoleBindingModel } from './platform/role-binding-model.ts'
import { createRoleModel } from './platform/role-model.ts'
import { seedRoles } from './platform/seed-roles.ts'
import { createTokenModel } from './platform/token-model.ts'
import { createUserModel } from './platform/user-model.ts'
import { canSignIn } from './platform/user-spec.ts'
import { openStore } from './store/open-store.ts'
import type { ModelKey, Store } from './store/store.ts'
import { createSchemaCompiler } from './validation/schema-compiler.ts'

/** A statement that does not end must not keep the process from ending. */
const storeCloseMs = 2_000
/** Lists without a size that are sent at a time. */
const streamLimits = { inAll: 8, perCaller: 2 }
/** How often old changes are looked for. */
const compactEveryMs = 60_000

export interface AssembleOptions {
  readonly config: Config
  readonly administratorToken: string
  /** Made at a start that finds no super administrator. */
  readonly administrator?: Administrator
  readonly log: Log
}

export interface Server {
  readonly url: string
  /** Makes the first super administrator, when there is none. */
  readonly setupSecret?: string
  readonly database: string
  /** Stops without cutting a request that ends in time; answers how many did not. */
  close(): Promise<number>
}

/** The only place that knows all parts. */
export async function assemble(options: AssembleOptions): Promise<Server> {
  const { config, administratorToken, log } = options
  const store = await openStore({
    ...config.database,
    onConnectionLost: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  const clock = systemClock
  await using parts = new AsyncDisposableStack()
  parts.defer(() => Promise.race([store[Symbol.asyncDispose](), sleep(storeCloseMs, undefined, { ref: false })]))
  const own = createOwnModels({ store, clock, rights: () => access })
  const models = await assembleModels({ store, clock, log, own }, parts)
  const access = parts.use(await createAccessSource({ store, log, ...own }))
  const publicUrl = () => config.server.publicUrl ?? listener.url
  const account = assembleAccount({ store, clock, log, config, access, own, publicUrl }, parts)
  const checks: HealthCheck[] = [
    {
      name: 'accepting',
      check: async () => {
        if (listener.draining) throw new Error('the server is stopping')
        return 'requests'
      },
    },
    { name: 'database', check: () => store.ping().then(() => store.description) },
  ]
  const health = new Map([
    ['/livez', livez],
    ['/readyz', createReadyz(checks, log)],
  ])
  const discovery = createDiscovery(() => models.all())
  const handle = createPipeline({
    publicUrl,
    authenticate: createAuthenticate({ ...account.authentication, administratorToken }),
    authorize: createAuthorize(access),
    dispatch: createDispatch({
      store,
      clock,
      models,
      streams: createStreamLimits(streamLimits),
      ownApi: account.ownApi,
      endpoint: (path) => account.endpoint(path) ?? readable(health.get(path) ?? discovery(path)),
    }),
  })
  const listener = await listen({ host: config.server.host, port: config.server.port, log, handle })
  const { retention, maxBytes } = config.changelog
  const compaction = setInterval(() => {
    const removed = [store.compact({ keepMs: retention * 3_600_000, maxBytes }), forgetExpired(store, clock)]
    Promise.all(removed).catch((err: unknown) => {
      log.warn({ err }, 'what is over could not be removed; it is tried again every minute')
    })
  }, compactEveryMs)
  parts.defer(() => clearInterval(compaction))
  const setupSecret = await firstSetup(account.setup, options)
  const running = parts.move()
  return {
    url: listener.url,
    ...(setupSecret !== undefined && { setupSecret }),
    database: store.description,
    close: async () => {
      const { stopDelay, drainTimeout } = config.server
      const cut = await listener.close({ delayMs: stopDelay * 1000, timeoutMs: drainTimeout * 1000 })
      if (cut > 0) log.warn({ cut, seconds: drainTimeout }, 'requests were still running and have been cut')
      await running.disposeAsync()
      return cut
    },
  }
}

interface ModelsParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly own: OwnModels
}

interface OwnModels {
  readonly roles: Model
  readonly bindings: Model
  readonly users: Model
  readonly tokens: Model
}

interface OwnModelParts {
  readonly store: Store
  readonly clock: Clock
  readonly rights: () => Rights
}

function createOwnModels({ store, clock, rights }: OwnModelParts): OwnModels {
  const roles = createRoleModel({ store, rights, bindings: () => bindings })
  const users = createUserModel({ store, clock, rights, bindings: () => bindings, tokens: () => tokens })
  const bindings = createRoleBindingModel({ store, rights, roles, users })
  const tokens = createTokenModel({ store, clock, tokens: createTokens(store, clock), users })
  return { roles, bindings, users, tokens }
}

/** The host's own models and those that are declared; what runs for them ends with `running`. */
async function assembleModels(
  { store, clock, log, own }: ModelsParts,
  running: AsyncDisposableStack,
): Promise<ModelRegistry> {
  const compiler = running.use(createSchemaCompiler())
  const builtIn = [own.roles, own.bindings, own.users, own.tokens]
  const refresh = (model: ModelKey) => models.refresh(model)
  const definitions = createDefinitionModel({ store, clock, compiler, open: refresh, onChange: refresh })
  for (const model of [...builtIn, definitions]) await store.openModel(declarationOf(model))
  await seedRoles({ store, clock }, own.roles, builtInRoles)
  const builder = running.use(createIndexBuilder({ store, definitions, log }))
  const onOpen = (model: Model) => builder.start(model)
  const models = createModelRegistry({ store, compiler, definitions, builtIn, onOpen })
  await models.load()
  running.use(followDefinitions({ store, definitions, registry: models, log }))
  return models
}

interface AccountParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly access: Rights
  readonly own: OwnModels
  readonly publicUrl: () => string
}

/** Credentials, and what people do with them. */
function assembleAccount(parts: AccountParts, running: AsyncDisposableStack) {
  const { store, clock, log, config, access, publicUrl } = parts
  const { users, bindings } = parts.own
  const cookie = sessionCookie(config.server.publicUrl ?? 'http:')
  const sessions = createSessions(store, clock)
  const tokens = createTokens(store, clock)
  const credentials = running.use(createKnownCredentials({ store, sessions, tokens, clock, log }))
  const passwords = createPasswords(store, clock)
  const onEnd = (uid: string) => credentials.forget(uid)
  const setup = { store, clock, users, bindings, passwords }
  return {
    authentication: { credentials, cookieName: cookie.name, clearedCookie: cookie.cleared },
    setup,
    endpoint: createAccountEndpoints({
      ...setup,
      sessions,
      limits: createLoginLimits(store, clock),
      cookie,
      insecure: () => insecureLogin(new URL(publicUrl()), config),
      findUser: (name) => findUser(store, users, name),
      onEnd,
    }),
    ownApi: createOwnApi({ ...setup, rights: access, tokenModel: parts.own.tokens, onEnd }),
  }
}

/** The first administrator as the configuration has it; else the secret by which somebody becomes it. */
async function firstSetup(setup: SetupParts, { administrator, log }: AssembleOptions): Promise<string | undefined> {
  if (!(await needsSetup(setup))) return undefined
  if (!administrator) return newSetupSecret(setup)
  try {
    await createFirstAdministrator(setup, administrator)
    log.info({ username: administrator.username }, 'the first super administrator was made')
  } catch (error) {
    // Another replica that starts at the same moment has done it; unless the name was somebody else's.
    if (await needsSetup(setup)) throw error
  }
  return undefined
}

/** A handler that answers reading alone. */
function readable(handler: Handler | undefined): Endpoint | undefined {
  return handler && { get: handler }
}

async function findUser(store: Store, users: Model, name: string) {
  const user = await store.get(users, name)
  return user && canSignIn(user) ? user : undefined
}

/** Why nobody may sign in: a password would travel in the clear. */
function insecureLogin(publicUrl: URL, { server }: Config): string | undefined {
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(publicUrl.hostname)
  if (publicUrl.protocol === 'https:' || isLoopback || server.allowInsecureLogin) return undefined
  return 'nobody can sign in over plain http: serve https and set server.publicUrl to it, or set server.allowInsecureLogin: true'
}
