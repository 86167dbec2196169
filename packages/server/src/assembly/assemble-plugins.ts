import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, defaultMemoryLimit } from '@pergola/api'
import { createPluginAuthenticate } from '../authn/authenticate-plugin.ts'
import type { Handler, IncomingRequest, PluginCaller } from '../call/call.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import type { Development } from '../base/development.ts'
import type { HostRoute } from '../call/host-route.ts'
import type { Log } from '../base/log.ts'
import { startOf } from '../call/plugin-caller.ts'
import type { GivenSettings } from '../config/plugin-files-settings.ts'
import { createCallerTokens } from '../plugins/custom-api/caller-tokens.ts'
import { createCustomApi, type LastingStreams } from '../plugins/custom-api/custom-api.ts'
import type { DispatchParts } from '../dispatch/dispatch.ts'
import { createClientReader } from '../http/client.ts'
import { createCors } from '../http/cors.ts'
import { createListener } from '../http/listener.ts'
import type { Model } from '../models/model.ts'
import type { ModelRegistry } from '../models/definition/registry.ts'
import { createPipeline, type Pipeline, type Stages } from '../pipeline.ts'
import { createPluginPageEndpoints, type LogoPlugin, type PagedPlugin } from '../console/plugin-page-endpoints.ts'
import type { KnownPlugins } from '../plugins/run/known-plugins.ts'
import { adoptDeclared } from '../plugins/run/adopt-declared.ts'
import { openPackage, type OpenedPackage } from '../plugins/package/open-package.ts'
import type { Rights } from '../access/rights.ts'
import { containerMemory, memoryWarning } from '../plugins/run/memory-room.ts'
import { createPackages, type Packages } from '../plugins/package/packages.ts'
import { createAccounts, type Accounts } from '../plugins/process/accounts.ts'
import { openCgroups } from '../plugins/process/cgroups.ts'
import { createInspector } from '../plugins/process/inspector.ts'
import type { RunHere } from '../plugins/process/launch-here.ts'
import type { HostLimits } from '../plugins/process/launch-options.ts'
import { pluginRoutes } from '../plugins/install/plugin-routes.ts'
import { limitsFor } from '../plugins/run/limits-for.ts'
import { createPluginServices } from '../plugins/run/plugin-services.ts'
import type { PluginSettings } from '../plugins/plugin-settings.ts'
import { pluginsFromFiles } from '../plugins/install/plugins-from-files.ts'
import { createPackageReader } from '../plugins/package/read-package.ts'
import { pluginRates } from '../plugins/run/plugin-uses.ts'
import { createSupervisor, type Supervisor, type SupervisorParts } from '../plugins/run/supervisor.ts'
import { digestOf } from '../plugins/package/unpack-archive.ts'
import type { ModelKey, Store } from '../store/store.ts'
import type { Replicas } from '../store/replicas.ts'
import type { SchemaCompiler } from '../validation/schema-compiler.ts'

export interface PluginParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly replicas: Replicas
  readonly known: KnownPlugins
  /** The model of plugins. */
  readonly plugins: Model
  /** The model of definitions. */
  readonly definitions: Model
  readonly models: ModelRegistry
  readonly build: (model: ModelKey) => void
  readonly access: Pick<Rights, 'readBook' | 'readCaller'>
  readonly compiler: SchemaCompiler
  readonly settings: PluginSettings
  readonly configMaps: Model
  readonly secrets: Model
  /** Configured settings of plugins. */
  readonly given: GivenSettings
  /** Packages shipped with the host. */
  readonly shipped: readonly Buffer[]
  readonly runnerOf?: ((plugin: string) => RunHere | undefined) | undefined
  readonly development?: Development | undefined
  /** Long-lived answers of plugins. */
  readonly streams: LastingStreams
}

/** Plugins, as the other parts see them. */
export interface AssembledPlugins {
  readonly hostRoutes: readonly HostRoute[]
  readonly supervisor: Supervisor
  readonly pluginAt: DispatchParts['pluginAt']
  /** How plugins are isolated, in words. */
  readonly accounts: Pick<Accounts, 'isolation' | 'isRoot' | 'description'>
  /** Console pages of plugins. */
  readonly pages: (path: string) => Handler | undefined
  /** Whether plugins are still being started for the first time; for a limited time. */
  readonly isStarting: () => boolean
  /** Starts the installed plugins; they reach the API through the same stages. */
  start(stages: Stages): Promise<{ readonly ready: Promise<unknown> }>
}

/** Plugins and the access to them; everything running ends with the stack. */
export function assemblePlugins(parts: PluginParts, stack: AsyncDisposableStack): AssembledPlugins {
  const { store, clock, log, config, known } = parts
  const models = () => parts.models.all()
  const packages = createPackages(store, stack.use(createPackageReader()))
  const tokens = createCallerTokens(clock)
  const accounts = stack.use(createAccounts(config.plugins.isolation))
  const door = stack.use(createPluginDoor(log))
  const limits = limitsOf(config.plugins, parts.development !== undefined)
  const supervisor = stack.use(
    createSupervisor({
      ...parts,
      ...watchedBy(parts),
      packages,
      limits,
      accounts,
      cgroups: openCgroups(),
      models,
      open: (model) => parts.models.refresh(model),
      hostSocket: door.socket,
    }),
  )
  const installing = {
    ...parts,
    packages,
    models,
    isolation: accounts.isolation,
    shipped: new Set(parts.shipped.map(digestOf)),
    linesOf: supervisor.linesOf,
  }
  const authenticate = createPluginAuthenticate({
    startTokens: supervisor.startTokens,
    callerOf: (token, plugin) => tokens.find(token, plugin),
  })
  const services = createPluginServices({
    ...parts,
    isRunning: (start) => supervisor.startTokens().some(({ token }) => startOf(token) === start),
    mayLead: ({ plugin, start }) => {
      const token = supervisor.leadingToken(plugin)
      return token !== undefined && startOf(token) === start
    },
    callerOf: (request) => pluginOnly(authenticate, request),
  })
  const customApi = createCustomApi({ tokens, streams: parts.streams })
  let isStarting = true
  return {
    accounts,
    supervisor,
    isStarting: () => isStarting,
    hostRoutes: pluginRoutes(installing),
    pages: pagesOf(known, packages),
    pluginAt: (call) => {
      const { owned, answering } = supervisor.reach(call.info)
      if (answering) return { proxied: customApi(call, answering) }
      return owned ? { owned } : {}
    },
    start: async (stages) => {
      // In development and in tests of plugins it is always so.
      if (accounts.warning !== undefined && !parts.development && !parts.runnerOf) log.warn({}, accounts.warning)
      await door.open(services, createPipeline({ ...stages, authenticate }))
      if (parts.development) await packages.forgetOthers(namedIn(known))
      await adoptDeclared({ ...parts, packages, models }, known.all())
      // First, so that no plugin runs that should not, or with outdated settings.
      await pluginsFromFiles({ ...parts, installing, files: config.plugins })
      await parts.replicas.start(pluginRates(supervisor.uses, () => clock.now()))
      warnOfMemory(parts, limits)
      const { firstStarts } = supervisor.start()
      const grace = sleep(config.plugins.startGrace * 1000, undefined, { ref: false })
      return { ready: Promise.race([firstStarts, grace]).finally(() => (isStarting = false)) }
    },
  }
}

const mebibyte = 1024 * 1024

function limitsOf(
  { memoryLimit, scratchLimit, processLimit, startTimeout }: Config['plugins'],
  isDevelopment: boolean,
): HostLimits {
  return {
    memoryBytes: memoryLimit * mebibyte,
    ...(isDevelopment && { usualMemoryBytes: defaultMemoryLimit * mebibyte }),
    scratchBytes: scratchLimit * mebibyte,
    processes: processLimit,
    startMs: startTimeout * 1000,
  }
}

function pagesOf(known: KnownPlugins, packages: Packages): AssembledPlugins['pages'] {
  return createPluginPageEndpoints({
    paged: () => pagedIn(known),
    filesOf: async ({ digest }) => pageFiles(await openPackage(packages, digest)),
    logos: () => logosIn(known),
    logoOf: async ({ digest, logo }) => (await openPackage(packages, digest)).read.files.get(logo),
  })
}

function pagedIn(known: KnownPlugins): readonly PagedPlugin[] {
  return known.all().flatMap(({ name, spec }) => {
    const { ui, pages, enabled, digest, displayName, icon, color } = spec
    if (ui === undefined || !enabled) return []
    const look = { ...(displayName !== undefined && { displayName }), ...(icon && { icon }), ...(color && { color }) }
    return [{ name, digest, ui, ...look, ...(pages && { pages }) }]
  })
}

function logosIn(known: KnownPlugins): readonly LogoPlugin[] {
  return known.all().flatMap(({ name, spec: { digest, logo } }) => (logo === undefined ? [] : [{ name, digest, logo }]))
}

const pagesFolder = 'ui/'

function pageFiles({ read }: OpenedPackage): ReadonlyMap<string, Buffer> {
  const found = [...read.files].filter(([path]) => path.startsWith(pagesFolder))
  return new Map(found.map(([path, bytes]) => [path.slice(pagesFolder.length), bytes]))
}

/**
 * In development every save leaves a package behind. A start, when no other replica runs, is the time to delete packages that
 * no plugin refers to.
 */
function namedIn(known: KnownPlugins): ReadonlySet<string> {
  const versions = known.all().flatMap(({ spec }) => [spec, spec.previous, spec.candidate])
  return new Set(versions.flatMap((version) => (version ? [version.digest] : [])))
}

/** Log lines of plugins go to the log, except in development. */
function watchedBy({
  log,
  development,
}: PluginParts): Pick<SupervisorParts, 'onLine' | 'onPluginState' | 'inspectorOf'> {
  if (!development) {
    const onLine = (plugin: string, line: string) => log.info({ plugin }, line)
    return { onLine, onPluginState: () => {}, inspectorOf: () => undefined }
  }
  const { onPluginLine, onPluginState, inspectPort, isInspected } = development
  const inspector = inspectPort === undefined ? undefined : createInspector(inspectPort)
  const inspectorOf = (plugin: string) => (isInspected(plugin) ? inspector : undefined)
  return { onLine: onPluginLine, onPluginState, inspectorOf }
}

function warnOfMemory({ known, log }: PluginParts, usual: HostLimits): void {
  const containerBytes = containerMemory()
  const enabled = known.all().filter(({ spec }) => spec.enabled)
  const pluginBytes = enabled.map(({ spec: { needs, limits } }) => limitsFor(usual, needs, limits).memoryBytes)
  const warning = containerBytes === undefined ? undefined : memoryWarning(containerBytes, pluginBytes)
  if (warning !== undefined) log.warn({}, warning)
}

/** Services for plugins alone refuse a plugin that acts for a caller. */
async function pluginOnly(authenticate: Stages['authenticate'], { headers }: IncomingRequest): Promise<PluginCaller> {
  const { authorization, 'pergola-caller-token': shown } = headers
  const caller = await authenticate({ authorization, ...(shown !== undefined && { callerToken: String(shown) }) })
  if (caller.kind === 'plugin') return caller
  throw new ApiError(
    'Forbidden',
    'this endpoint is for plugins acting as themselves; remove the header Pergola-Caller-Token',
  )
}

/** The plugins' own socket for the API, where a plugin authenticates by its start token. */
function createPluginDoor(log: Log) {
  const directory = join(tmpdir(), `pergola-host-${randomUUID().slice(0, 8)}`)
  const socket = join(directory, 'host.sock')
  const listener = createListener({ at: { socket }, log })
  return {
    socket,
    open: async (services: ReturnType<typeof createPluginServices>, pipeline: Pipeline) => {
      // Plugins may run under other accounts; every caller needs a token.
      mkdirSync(directory)
      chmodSync(directory, 0o711)
      await listener.open({
        handle: async (request) => services(request) ?? pipeline(request),
        cors: createCors(new Set()),
        clientOf: createClientReader([]),
        checkClient: () => {},
      })
      chmodSync(socket, 0o666)
    },
    [Symbol.asyncDispose]: async () => {
      await listener.close({ delayMs: 0, timeoutMs: 0, endStreams: () => {} })
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
