import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrapAdministrator, createAuthenticate } from './authn/authenticate.ts'
import { createAuthorize, type RoleSource } from './authz/authorize.ts'
import { createRoleBook } from './authz/role-book.ts'
import { systemClock, type Clock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import type { Log } from './base/log.ts'
import { createDiscovery } from './discovery/discovery-endpoints.ts'
import { createDispatch } from './dispatch/dispatch.ts'
import { createReadyz, livez, type HealthCheck } from './http/health.ts'
import { listen } from './http/listener.ts'
import { createBuiltInModel } from './models/built-in-model.ts'
import { createDefinitionModel } from './models/definition/definition-model.ts'
import { followDefinitions } from './models/follow-definitions.ts'
import { createIndexBuilder } from './models/index-builder.ts'
import { createStreamLimits } from './models/stream-limits.ts'
import { declarationOf, type Model } from './models/model.ts'
import { createModelRegistry, type ModelRegistry } from './models/registry.ts'
import { createPipeline } from './pipeline.ts'
import { builtInRoles } from './platform/built-in-roles.ts'
import { roleModel } from './platform/role-model.ts'
import { seedRoles } from './platform/seed-roles.ts'
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
  readonly log: Log
}

export interface Server {
  readonly url: string
  readonly database: string
  /** Stops without cutting a request that ends in time; answers how many did not. */
  close(): Promise<number>
}

/** The only place that knows all parts. */
export async function assemble({ config, administratorToken, log }: AssembleOptions): Promise<Server> {
  const store = await openStore({
    ...config.database,
    onConnectionLost: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  const clock = systemClock
  await using parts = new AsyncDisposableStack()
  parts.defer(() => Promise.race([store[Symbol.asyncDispose](), sleep(storeCloseMs, undefined, { ref: false })]))
  const models = await assembleModels({ store, clock, log }, parts)
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
    authenticate: createAuthenticate(administratorToken),
    authorize: createAuthorize(createBuiltInRoleSource()),
    dispatch: createDispatch({
      store,
      clock,
      models,
      streams: createStreamLimits(streamLimits),
      endpoint: (path) => health.get(path) ?? discovery(path),
    }),
  })
  const listener = await listen({ host: config.server.host, port: config.server.port, log, handle })
  const { retention, maxBytes } = config.changelog
  const compaction = setInterval(() => {
    store.compact({ keepMs: retention * 3_600_000, maxBytes }).catch((err: unknown) => {
      log.warn({ err }, 'old changes could not be removed; it is tried again every minute')
    })
  }, compactEveryMs)
  parts.defer(() => clearInterval(compaction))
  const running = parts.move()
  return {
    url: listener.url,
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
}

/** The host's own models and those that are declared; what runs for them ends with `running`. */
async function assembleModels(
  { store, clock, log }: ModelsParts,
  running: AsyncDisposableStack,
): Promise<ModelRegistry> {
  const compiler = running.use(createSchemaCompiler())
  const roles = createBuiltInModel(roleModel)
  const refresh = (model: ModelKey) => models.refresh(model)
  const definitions = createDefinitionModel({ store, clock, compiler, open: refresh, onChange: refresh })
  for (const model of [roles, definitions]) await store.openModel(declarationOf(model))
  await seedRoles({ store, clock }, roles, builtInRoles)
  const builder = running.use(createIndexBuilder({ store, definitions, log }))
  const onOpen = (model: Model) => builder.start(model)
  const models = createModelRegistry({ store, compiler, definitions, builtIn: [roles], onOpen })
  await models.load()
  running.use(followDefinitions({ store, definitions, registry: models, log }))
  return models
}

/** Nobody can be bound to a role yet: the administrator holds one, everybody else is anonymous. */
function createBuiltInRoleSource(): RoleSource {
  const definitions = builtInRoles.map(({ name, rules }) => ({
    name,
    rules,
    dependencies: [],
    aggregatesTo: [],
    uiPermissions: [],
  }))
  const book = createRoleBook(definitions, { pluginOf: () => undefined })
  const anonymous = book.hold([{ name: 'anonymous' }])
  const signedIn = book.hold([{ name: 'anonymous' }, { name: 'authenticated' }])
  const administrator = book.hold([...signedIn.roles, { name: 'super-administrator' }])
  return {
    rolesOf: (caller) => {
      if (caller.kind === 'anonymous') return anonymous
      return caller.name === bootstrapAdministrator ? administrator : signedIn
    },
  }
}
