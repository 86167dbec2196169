import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHead } from '@pergola/api'
import { accountRoutes } from './host-api/sign-in/account-routes.ts'
import { findUser } from './access/find-user.ts'
import { insecureLogin } from './host-api/sign-in/insecure-login.ts'
import { createLoginLimits } from './credentials/login-limits.ts'
import { createFirstAdministrator, needsSetup, type FirstAdministratorParts } from './access/first-administrator.ts'
import { createSetupSecrets } from './credentials/setup-secrets.ts'
import { assembleFeed } from './assemble-feed.ts'
import { assemblePlugins, type AssembledPlugins, type PluginParts } from './assemble-plugins.ts'
import { createAuditLog, type AuditLog } from './audit/audit-log.ts'
import { createRequestAudit, unaudited } from './audit/request-audit.ts'
import { createAuthenticate } from './authn/authenticate.ts'
import { loginCookie, sessionCookie } from './base/cookie.ts'
import { createAuthorize } from './access/decisions/authorize.ts'
import type { Administrator } from './base/administrator.ts'
import { systemClock, type Clock } from './base/clock.ts'
import { hostVersion } from './base/host-version.ts'
import type { HostRoute } from './base/host-route.ts'
import type { Config } from './base/config.ts'
import type { Development } from './base/development.ts'
import type { Log } from './base/log.ts'
import { gauge } from './base/metrics.ts'
import { localOrigins } from './base/origins.ts'
import type { NatsAddress } from './base/nats-address.ts'
import type { OidcProvider } from './base/oidc-provider.ts'
import type { GivenSettings } from './base/plugin-files-settings.ts'
import type { SealingKey } from './base/sealing-keys.ts'
import { createIdentities, type Identities } from './credentials/identities.ts'
import { createTraffic } from './base/traffic.ts'
import { createConsoleEndpoints } from './console/console-endpoints.ts'
import { overviewRoutes } from './console/overview-routes.ts'
import { consoleFolder, readConsole } from './console/read-console.ts'
import { startChores } from './chores.ts'
import { createKnownCredentials } from './credentials/known-credentials.ts'
import { createOidcLogins } from './credentials/oidc-logins.ts'
import { createPasswords } from './credentials/passwords.ts'
import { openRevocations } from './credentials/revocations.ts'
import { createSessions, type Sessions, type SessionUser } from './credentials/sessions.ts'
import { createTokens } from './credentials/tokens.ts'
import { createDiscovery } from './discovery/discovery-endpoints.ts'
import { createDispatch } from './dispatch/dispatch.ts'
import { createHostRoutes } from './dispatch/host-routes.ts'
import { createClientReader } from './http/client.ts'
import { createCors } from './http/cors.ts'
import { createHealth, type HealthCheck } from './http/health.ts'
import { listen, type Listener } from './http/listener.ts'
import { createPublicUrlCheck } from './http/public-url-check.ts'
import { createRequestMetrics } from './http/request-metrics.ts'
import { createDefinitionModel } from './models/definition/definition-model.ts'
import { followDefinitions } from './models/follow-definitions.ts'
import { createIndexBuilder } from './models/index-builder.ts'
import { createStreamLimits, unboundedLists, watches } from './models/stream-limits.ts'
import { declarationOf, type Model } from './models/model.ts'
import { createModelRegistry } from './models/registry.ts'
import { createPipeline, type Stages } from './pipeline.ts'
import { createKnownPlugins } from './plugins/known-plugins.ts'
import type { RunHere } from './plugins/process/launch-here.ts'
import { createPluginModel } from './plugins/plugin-model.ts'
import { createPluginSettings, type PluginSettings } from './plugins/plugin-settings.ts'
import type { Feed } from './feed/feed.ts'
import { createLastingStreams } from './watch/lasting-streams.ts'
import { createTurns } from './watch/turns.ts'
import { createWatchHub } from './watch/watch-hub.ts'
import type { WatchParts } from './watch/watch-objects.ts'
import { keyOf } from './store/model-table.ts'
import { createOidcClient } from './host-api/oidc/oidc-client.ts'
import { oidcRoutes } from './host-api/oidc/oidc-routes.ts'
import { ownRoutes } from './host-api/own-routes.ts'
import { createAccessSource, type AccessSource } from './access/access-source.ts'
import { builtInRoles } from './access/built-in-roles.ts'
import { createConfigMapModel } from './models/secrets/config-map-model.ts'
import { createCountsUntil } from './access/managed-binding.ts'
import { createOwnModels, type OwnModels } from './access/own-models.ts'
import { createSecretModel } from './models/secrets/secret-model.ts'
import { createSecretSealing } from './models/secrets/secret-sealing.ts'
import { seedRoles } from './access/seed-roles.ts'
import { watchHealth, type DatabaseHealth } from './store/database-health.ts'
import { openStore } from './store/open-store.ts'
import { watchedStore } from './store/watched-store.ts'
import type { ModelKey, Store } from './store/store.ts'
import { createSchemaCompiler, type SchemaCompiler } from './validation/schema-compiler.ts'

/** A statement that does not end must not keep the process from ending. */
const storeCloseMs = 2_000
/** Lists without a size that are sent at a time. */
const listLimits = { inAll: 8, perCaller: 2, ...unboundedLists }
/** Readings of the log, or of present objects, for watches that begin. */
const watchReadings = 8
/** How often old changes are looked for. */

export interface AssembleOptions {
  readonly config: Config
  /** Made at a start that finds no super administrator. */
  readonly administrator?: Administrator
  /** Where people sign in by OpenID Connect. */
  readonly providers?: readonly OidcProvider[]
  /** How NATS is reached, for `feed.transport: nats`. */
  readonly nats?: NatsAddress
  /** What secrets are sealed with. */
  readonly keys?: readonly SealingKey[]
  /** Settings of plugins, in place of those of the configuration: with the values that stand elsewhere. */
  readonly given?: GivenSettings
  /** Packages of plugins that come with the host. */
  readonly shipped?: readonly Buffer[]
  /** Runs plugins in this process, for tests that look into them; in processes of their own unless it is said. */
  readonly runHere?: RunHere
  /** For whoever writes a plugin. */
  readonly development?: Development
  readonly log: Log
}

export interface Server {
  readonly url: string
  /** The address that people use. */
  readonly publicUrl: string
  /** Makes the first super administrator, when there is none. */
  readonly setupSecret?: string
  readonly database: string
  /** Signs somebody in, whom no password is asked of: for the program that the server is a part of. */
  signIn(user: string): Promise<string>
  /** Opens the audit log anew, after it was moved away. */
  reopenAudit(): void
  /** Stops without cutting a request that ends in time; answers how many did not. */
  close(): Promise<number>
}

/** The only place that knows all parts. */
export async function assemble(options: AssembleOptions): Promise<Server> {
  const { config, providers = [], keys = [], log } = options
  const maxAgeMs = config.oidc.maxAge * 1000
  const clock = systemClock
  await using parts = new AsyncDisposableStack()
  const { store, database } = await openWatchedStore(config, log, parts)
  const audit = openAudit(config, log, parts)
  const own = createOwnModels({ store, clock, rights: () => access })
  const kept = assembleKept({ store, keys }, parts)
  const { feed, ...seen } = await assembleFeed(store, options, parts)
  const served = await assembleModels({ store, clock, log, feed, own, kept, asked: () => assembled }, parts)
  const known = parts.use(await createKnownPlugins({ store, feed, ...kept }))
  const identities = createIdentities(store, clock)
  const countsUntil = createCountsUntil({ maxAgeMs, providers })
  const access = parts.use(
    await createAccessSource({ store, clock, feed, identities, countsUntil, claims: () => known.claims(), ...own }),
  )
  const publicUrl = () => config.server.publicUrl ?? listener.url
  const onRevoked = (uid: string) => streaming.recheck(uid)
  const people = { store, clock, log, config, providers, access, identities, own, feed, publicUrl, onRevoked }
  const account = assembleAccount(people, parts)
  const { watching, streams, ...streaming } = assembleStreaming({ ...people, settle: account.settle }, parts)
  const looked = { store, clock, log, ...seen, database, listener: () => listener, plugins: () => assembled }
  const listed = { models: () => served.models.all(), hostRoutes: () => hostRoutes }
  const pages = assemblePages({ ...looked, ...listed, openWatches: () => watching.hub.size() })
  const authorize = createAuthorize(access)
  const forPlugins = { known, ...kept, ...told(options), streams }
  const assembled: AssembledPlugins = assemblePlugins({ ...people, ...served, ...forPlugins }, parts)
  const hostRoutes: readonly HostRoute[] = [...account.hostRoutes, ...assembled.hostRoutes, ...pages.hostRoutes]
  const hostHandler = createHostRoutes(hostRoutes)
  const stages: Stages = {
    audit: audit ? createRequestAudit((entry) => audit.record(entry)) : unaudited,
    early: pages.early,
    measure: config.metrics.port === undefined ? undefined : createRequestMetrics(),
    publicUrl,
    listedOrigins: options.development ? localOrigins : new Set(config.cors.origins),
    authenticate: createAuthenticate(account.authentication),
    authorize,
    hostHandler,
    dispatch: createDispatch({
      store,
      clock,
      models: served.models,
      streams: createStreamLimits(listLimits),
      watching,
      ...assembled,
      hostHandler,
      mayGet: async (caller, request) => (await authorize(caller, request)).allowed,
      page: pages.page,
    }),
  }
  // Before anybody is answered: whoever finds the server ready can sign in.
  const setupSecret = await firstSetup({ ...account.setup, audit }, options)
  const listener = await listen({
    at: config.server,
    log,
    handle: createPipeline(stages),
    cors: createCors(stages.listedOrigins),
    clientOf: createClientReader(config.http.trustedProxies),
    checkClient: createPublicUrlCheck({ publicUrl, isSet: config.server.publicUrl !== undefined, log }),
    onAnswered: pages.onAnswered,
  })
  await assembled.start(stages)
  startChores({ ...people, maxAgeMs, caches: [served.models.cache, ...access.caches] }, parts)
  const running = parts.move()
  return {
    url: listener.url,
    publicUrl: publicUrl(),
    ...(setupSecret !== undefined && { setupSecret }),
    database: store.description,
    signIn: account.signIn,
    reopenAudit: () => audit?.reopen(),
    close: async () => {
      const cut = await drain(listener, options, streaming.drain)
      await running.disposeAsync()
      return cut
    },
  }
}

/** The store, whose outages are answered 503 and written down once. */
async function openWatchedStore({ database, metrics }: Config, log: Log, running: AsyncDisposableStack) {
  // A connection that broke while nobody used it: one question tells whether more is wrong.
  const onConnectionLost = () => void store?.ping().catch(() => {})
  let store: Store | undefined
  const opened = await openStore({ ...database, onConnectionLost })
  running.defer(() => Promise.race([opened[Symbol.asyncDispose](), sleep(storeCloseMs, undefined, { ref: false })]))
  const health = running.use(watchHealth({ log, description: opened.description }))
  store = watchedStore(opened, { health, limitMs: database.timeout * 1000, measured: metrics.port !== undefined })
  return { store, database: health }
}

/** Answers how many requests did not end in time. */
async function drain(listener: Listener, { config, log }: AssembleOptions, endStreams: () => void): Promise<number> {
  const { stopDelay, drainTimeout } = config.server
  const cut = await listener.close({ delayMs: stopDelay * 1000, timeoutMs: drainTimeout * 1000, endStreams })
  if (cut > 0) log.warn({ cut, seconds: drainTimeout }, 'requests were still running and have been cut')
  return cut
}

/** Of plugins. */
function told({ config, given = config.plugins.settings, shipped = [], runHere, development }: AssembleOptions) {
  return { given, shipped, runHere, development }
}

function openAudit({ audit: { file } }: Config, log: Log, running: AsyncDisposableStack): AuditLog | undefined {
  return file === undefined ? undefined : running.use(createAuditLog({ file, clock: systemClock, log }))
}

/** Plugins, and what is kept for programs. */
interface KeptModels {
  readonly compiler: SchemaCompiler
  readonly plugins: Model
  readonly settings: PluginSettings
  readonly configMaps: Model
  readonly secrets: Model
}

interface KeptParts {
  readonly store: Store
  readonly keys: readonly SealingKey[]
}

function assembleKept({ store, keys }: KeptParts, running: AsyncDisposableStack): KeptModels {
  const plugins = createPluginModel()
  const compiler = running.use(createSchemaCompiler())
  const settings = createPluginSettings({ store, plugins, compiler })
  const configMaps = createConfigMapModel(settings.check.configmap)
  const secrets = createSecretModel(createSecretSealing(keys), settings.check.secret)
  return { compiler, plugins, settings, configMaps, secrets }
}

interface ModelsParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly feed: Feed
  readonly own: OwnModels
  readonly kept: KeptModels
  /** Who is asked about objects. */
  readonly asked: () => AssembledPlugins
}

/** The host's own models and those that are declared; what runs for them ends with `running`. */
async function assembleModels(
  { store, clock, log, feed, own, kept, asked }: ModelsParts,
  running: AsyncDisposableStack,
): Promise<Pick<PluginParts, 'models' | 'definitions' | 'build'>> {
  const { compiler, plugins, configMaps, secrets } = kept
  const builtIn = [own.roles, own.bindings, own.users, own.tokens, plugins, configMaps, secrets]
  const refresh = (model: ModelKey) => models.refresh(model)
  const definitions = createDefinitionModel({ store, clock, compiler, open: refresh, onChange: refresh })
  for (const model of [...builtIn, definitions]) await store.openModel(declarationOf(model))
  await openRevocations(store)
  await seedRoles({ store, clock }, own.roles, builtInRoles)
  const builder = running.use(createIndexBuilder({ store, definitions, log }))
  const onOpen = (model: Model) => builder.start(model)
  const evaluate: AssembledPlugins['evaluate'] = (model, request) => asked().evaluate(model, request)
  const evaluateAhead: AssembledPlugins['evaluateAhead'] = (model, request) => asked().evaluateAhead(model, request)
  const models = createModelRegistry({ store, compiler, definitions, builtIn, onOpen, evaluate, evaluateAhead })
  await models.load()
  const isTold = () => feed.isCurrent()
  const following = running.use(followDefinitions({ store, definitions, registry: models, log, isTold }))
  feed.subscribe({
    onChanges: (changes) => {
      if (changes.some(({ model }) => keyOf(model) === keyOf(definitions))) following.look()
    },
    onLost: () => following.look(),
  })
  const build = (key: ModelKey) => {
    const model = models.all().find((one) => keyOf(one) === keyOf(key))
    if (model) builder.start(model)
  }
  return { models, definitions, build }
}

interface StreamingParts extends Pick<AccountParts, 'store' | 'clock' | 'log' | 'config' | 'access' | 'feed'> {
  readonly settle: () => Promise<void>
}

/** Watches, and what plugins answer for as long as somebody listens: counted together, and ended alike. */
function assembleStreaming(parts: StreamingParts, running: AsyncDisposableStack) {
  const { store, clock, access } = parts
  const { watch } = parts.config
  const followed = { ...parts, concerned: access.concerned }
  const hub = running.use(createWatchHub(followed))
  running.use(gauge('pergola_watches', () => [{ value: hub.size() }]))
  const limits = createStreamLimits({ inAll: watch.max, perCaller: watch.maxPerUser, ...watches })
  const streams = running.use(createLastingStreams({ ...followed, limits }))
  const watching: WatchParts = { store, clock, hub, reading: createTurns(watchReadings), limits }
  return {
    watching,
    streams,
    recheck: (uid: string) => void Promise.all([hub.recheck(uid), streams.recheck(uid)]),
    drain: () => {
      hub.drain()
      streams.drain()
    },
  }
}

interface AccountParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly providers: readonly OidcProvider[]
  readonly access: AccessSource
  readonly identities: Identities
  readonly own: OwnModels
  readonly feed: Feed
  readonly publicUrl: () => string
  readonly onRevoked: (uid: string) => void
}

/** Credentials, and what people do with them. */
function assembleAccount(parts: AccountParts, running: AsyncDisposableStack) {
  const { store, clock, log, config, providers, access, identities, feed, publicUrl } = parts
  const { users, bindings, roles, tokens: tokenModel } = parts.own
  const cookie = sessionCookie(config.server.publicUrl ?? 'http:')
  const sessions = createSessions(store, clock)
  const tokens = createTokens(store, clock)
  const credentials = running.use(createKnownCredentials({ feed, sessions, tokens, clock, onRevoked: parts.onRevoked }))
  const passwords = createPasswords(store, clock)
  const onEnd = (uid: string) => credentials.forget(uid)
  const insecure = () => insecureLogin(new URL(publicUrl()), config)
  const setup = { store, clock, users, bindings, passwords }
  const account = accountRoutes({
    ...setup,
    tokens: tokenModel,
    sessions,
    limits: createLoginLimits(store, clock),
    cookie,
    insecure,
    findUser: (name) => findUser(store, users, name),
    onEnd,
    publicUrl,
    providers,
  })
  const oidc = oidcRoutes({
    ...setup,
    roles,
    log,
    identities,
    sessions,
    cookie,
    insecure,
    publicUrl,
    onRoles: (name) => access.forget(name),
    clients: providers.map((provider) => createOidcClient(provider)),
    logins: createOidcLogins(store, clock),
    loginCookie: loginCookie(config.server.publicUrl ?? 'http:'),
  })
  return {
    authentication: { credentials, cookieName: cookie.name, clearedCookie: cookie.cleared },
    setup,
    signIn: async (name: string) => signInHere(sessions, name, await findUser(store, users, name)),
    settle: async () => credentials.settle(),
    hostRoutes: [
      ...account,
      ...oidc,
      ...ownRoutes({ ...setup, rights: access, tokens: tokenModel, identities, providers, onEnd }),
    ],
  }
}

/** The first administrator as the configuration has it; else the secret by which somebody becomes it. */
async function firstSetup(
  { audit, ...setup }: FirstAdministratorParts & { readonly audit: AuditLog | undefined },
  { administrator, log }: AssembleOptions,
): Promise<string | undefined> {
  if (!(await needsSetup(setup))) return undefined
  if (!administrator) return createSetupSecrets(setup.store, setup.clock).make()
  try {
    await createFirstAdministrator(setup, administrator)
    audit?.record({ event: 'setup', how: 'configuration', account: administrator.username, decision: 'allowed' })
    log.info({ username: administrator.username }, 'the first super administrator was made')
  } catch (error) {
    // Another replica that starts at the same moment has done it; unless the name was somebody else's.
    if (await needsSetup(setup)) throw error
  }
  return undefined
}

interface PageParts extends HealthParts {
  readonly clock: Clock
  readonly log: Log
  readonly plugins: () => AssembledPlugins
  readonly models: () => readonly Model[]
  readonly hostRoutes: () => readonly HostRoute[]
  /** Those that are open, here. */
  readonly openWatches: () => number
}

/** What is there for people and for whoever looks after the server: health, documents, the console. */
function assemblePages({ clock, log, plugins, models, hostRoutes, openWatches, ...parts }: PageParts) {
  const knowsCallers = () => parts.database.trouble() === undefined
  const health = createHealth({ checks: createHealthChecks({ ...parts, plugins }), knowsCallers, log })
  const discovery = createDiscovery({ models, customApis: () => plugins().customApis(), hostRoutes })
  const consolePages = createConsoleEndpoints(readConsole(consoleFolder))
  const traffic = createTraffic(clock)
  return {
    onAnswered: (ms: number, failed: boolean) => traffic.record(ms, failed),
    hostRoutes: [...overviewRoutes({ traffic, watches: openWatches, check: () => health.look() }), ...health.routes],
    early: (request: RequestHead) => health.early(request),
    page: (path: string) => discovery(path) ?? consolePages(path) ?? plugins().pages(path),
  }
}

interface HealthParts {
  readonly store: Store
  readonly database: DatabaseHealth
  readonly feedState?: () => string
  readonly listener: () => { readonly draining: boolean }
  readonly plugins: () => Pick<AssembledPlugins, 'isolation' | 'isStarting'>
}

function createHealthChecks({ store, database, feedState, listener, plugins }: HealthParts): readonly HealthCheck[] {
  return [
    {
      name: 'accepting',
      check: async () => {
        if (listener().draining) throw new Error('the server is stopping')
        return `requests, by version ${hostVersion}`
      },
    },
    {
      name: 'database',
      check: async () => {
        const trouble = database.trouble()
        if (trouble !== undefined) throw new Error(trouble)
        return store.description
      },
      isLogged: false,
    },
    // By whichever way changes come: that is no reason to send requests elsewhere.
    ...(feedState ? [{ name: 'feed', check: async () => feedState() }] : []),
    {
      name: 'plugins',
      check: async () => {
        const { isolation, isStarting } = plugins()
        if (isStarting()) throw new Error('they are being started (plugins.startGrace)')
        return isolation === 'uid'
          ? 'an account each'
          : 'kept apart from faults only, not from each other (plugins.isolation)'
      },
    },
  ]
}

async function signInHere(sessions: Sessions, name: string, user: SessionUser | undefined): Promise<string> {
  if (!user) throw new Error(`there is no user "${name}" who may sign in`)
  const { secret } = await sessions.begin({ user, transport: 'token', address: 'here', agent: 'the program itself' })
  return secret
}
