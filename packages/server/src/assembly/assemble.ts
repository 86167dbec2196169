import { assembleAccess } from './assemble-access.ts'
import { assembleFeed } from './assemble-feed.ts'
import { assembleHostApi, firstSetup } from './assemble-host-api.ts'
import { assembleConfigModels, assembleModels } from './assemble-models.ts'
import { assemblePages, type AssembledPages } from './assemble-pages.ts'
import { assemblePlugins } from './assemble-plugins.ts'
import { assembleReplicas } from './assemble-replicas.ts'
import { openWatchedStore, type StoreParts } from './assemble-store.ts'
import { assembleStreaming } from './assemble-streaming.ts'
import { createMaySome } from '../access/decisions/authorize.ts'
import { createAuditLog, type AuditLog } from '../audit/audit-log.ts'
import { createRequestAudit, unaudited } from '../audit/request-audit.ts'
import { createAuthenticate } from '../authn/authenticate.ts'
import { systemClock } from '../base/clock.ts'
import { createReplica } from '../base/replica.ts'
import { localhostOf, localOrigins } from '../base/origins.ts'
import { startChores } from './chores.ts'
import { createDispatch } from '../dispatch/dispatch.ts'
import { createHostRoutes } from '../dispatch/host-routes.ts'
import { batchRoutes } from '../host-api/batches.ts'
import { createClientReader } from '../http/client.ts'
import { createCors } from '../http/cors.ts'
import { createListener, type Listener } from '../http/listener.ts'
import { createPublicUrlCheck } from '../http/public-url-check.ts'
import { renewCertificate, type Renewal } from '../http/renew-certificate.ts'
import { createRequestMetrics } from '../http/request-metrics.ts'
import { createStreamLimits, requests, unboundedLists, type StreamLimits } from '../models/query/stream-limits.ts'
import { createPipeline, type Stages } from '../pipeline.ts'
import type { AssembleOptions, Server } from '../server.ts'

/** Maximum number of unpaged lists sent at a time. */
export const listLimits = { inAll: 8, perCaller: 2, ...unboundedLists }

/**
 * The only place that knows all parts. They are created first, each with the ones that it needs; nothing is read or written
 * until they are started, each after the ones whose content it needs.
 */
export async function assemble(options: AssembleOptions): Promise<Server> {
  const { config, providers = [], keys = [], signInCode, log } = options
  const { replica = createReplica(config.replica.name) } = options
  const maxAgeMs = config.oidc.maxAge * 1000
  const clock = systemClock
  await using parts = new AsyncDisposableStack()
  const { store, ...stored } = await openWatchedStore({ config, log, replica }, parts)
  const audit = openAudit({ config, log, replica }, parts)
  const listener = createListener({ at: config.server, log, replica: replica.shortId, ...listenerOptions(options) })
  const publicUrl = () => config.server.publicUrl ?? listener.url
  const { feed, ...feedState } = await assembleFeed(store, options, parts)
  const who = assembleAccess({ store, clock, feed, config, providers, maxAgeMs }, parts)
  const { access, authorize } = who
  const kept = assembleConfigModels({ store, keys, authorize }, parts)
  const { replicas, replicaRoutes } = assembleReplicas({ store, log, replica, feed }, parts)
  const common = { store, clock, log, config, feed, replicas, providers, ...who }
  const served = assembleModels({ ...common, kept, keys }, parts)
  const { models } = served
  const { watching, streams, drain } = assembleStreaming(common, parts)
  const account = assembleHostApi({ ...common, publicUrl, signInCode })
  const plugins = assemblePlugins({ ...common, ...served, ...kept, ...pluginOptions(options), streams }, parts)
  const { assertServed } = plugins.supervisor
  const batches = batchRoutes({ store, clock, models, authorize, assertServed })
  const pages = assemblePages({
    ...common,
    ...stored,
    ...feedState,
    plugins,
    listener,
    replica,
    secretKeys: served.secretKeys,
    models: models.all,
    hostRoutes: [...account.hostRoutes, ...batches, ...replicaRoutes, ...plugins.hostRoutes],
    openWatches: () => watching.hub.size(),
    publicUrl: config.server.publicUrl,
  })
  const hostHandler = createHostRoutes(pages.hostRoutes)
  const stages: Stages = {
    ...stagesOf(options),
    audit: audit ? createRequestAudit((entry) => audit.record(entry)) : unaudited,
    early: pages.early,
    publicUrl,
    ...(options.development && { alsoOwn: () => localhostOf(publicUrl()) }),
    authenticate: createAuthenticate(account.authentication),
    authorize,
    hostHandler,
    dispatch: createDispatch({
      store,
      clock,
      models,
      watching,
      hostHandler,
      streams: createStreamLimits(listLimits),
      pluginAt: plugins.pluginAt,
      mayGet: async (caller, request) => (await authorize(caller, request)).allowed,
      maySome: createMaySome(access),
      assertServed,
      page: pages.page,
    }),
  }

  await feed.start()
  watching.hub.start()
  await served.start(plugins.supervisor)
  await who.start()
  // Before the server listens: a client that finds it ready can sign in.
  const setupSecret = await firstSetup({ ...account.setup, audit }, options)
  const renewal = await open(listener, { stages, pages, options, running: parts })
  const { ready } = await plugins.start(stages)
  startChores({ ...common, ready, maxAgeMs, caches: [models.cache, ...access.caches] }, parts)
  const running = parts.move()
  return {
    url: listener.url,
    publicUrl: publicUrl(),
    ...(setupSecret !== undefined && { setupSecret }),
    database: store.description,
    ready,
    signIn: account.signIn,
    reopen: () => [audit?.reopen(), renewal?.look()],
    close: () => close({ listener, running, endStreams: drain }, options),
  }
}

function listenerOptions({ config, tls }: AssembleOptions) {
  return { certificate: tls?.certificate, compresses: config.http.compression }
}

function openAudit(
  { config, log, replica: { name } }: StoreParts,
  running: AsyncDisposableStack,
): AuditLog | undefined {
  const { file } = config.audit
  return file === undefined ? undefined : running.use(createAuditLog({ file, clock: systemClock, log, replica: name }))
}

interface Opening {
  readonly stages: Stages
  readonly pages: AssembledPages
  readonly options: AssembleOptions
  readonly running: AsyncDisposableStack
}

/** Opens the port, and follows the files of its certificate. */
async function open(
  listener: Listener,
  { stages, pages, options: { config, tls, log }, running }: Opening,
): Promise<Renewal | undefined> {
  const { publicUrl, listedOrigins } = stages
  await listener.open({
    handle: createPipeline(stages),
    cors: createCors(listedOrigins),
    clientOf: createClientReader(config.http.trustedProxies),
    checkClient: createPublicUrlCheck({ publicUrl, isSet: config.server.publicUrl !== undefined, log }),
    onAnswered: pages.onAnswered,
  })
  return tls && running.use(renewCertificate(tls.certificate, { ...tls, use: listener.renew, log }))
}

/** The stages that follow from the configuration alone. */
function stagesOf({ config, development }: AssembleOptions): Pick<Stages, 'measure' | 'listedOrigins' | 'inFlight'> {
  return {
    measure: config.metrics.port === undefined ? undefined : createRequestMetrics(),
    listedOrigins: development ? localOrigins : new Set(config.cors.origins),
    inFlight: shareOf(config.http.maxInFlight),
  }
}

/** Nobody can keep others out: a caller may have a quarter. */
function shareOf(inAll: number): StreamLimits {
  return createStreamLimits({ inAll, perCaller: Math.floor(inAll / 4), ...requests })
}

/** The options for plugins. */
function pluginOptions({
  config,
  given = config.plugins.settings,
  shipped = [],
  runnerOf,
  development,
}: AssembleOptions) {
  return { given, shipped, runnerOf, development }
}

interface Closing {
  readonly listener: Listener
  readonly running: AsyncDisposableStack
  readonly endStreams: () => void
}

/** Returns how many requests did not end in time. */
async function close(
  { listener, running, endStreams }: Closing,
  { config: { server }, log }: AssembleOptions,
): Promise<number> {
  const { stopDelay, drainTimeout } = server
  const cut = await listener.close({ delayMs: stopDelay * 1000, timeoutMs: drainTimeout * 1000, endStreams })
  if (cut > 0) log.warn({ cut, seconds: drainTimeout }, 'requests in flight were aborted at the drain timeout')
  await running.disposeAsync()
  return cut
}
