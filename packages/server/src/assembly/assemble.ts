import { createAccessSource, type AccessSource } from '../access/access-source.ts'
import { createAuthorize } from '../access/decisions/authorize.ts'
import { createCountsUntil } from '../access/managed-binding.ts'
import { createAccessModels } from '../access/access-models.ts'
import { assembleFeed } from './assemble-feed.ts'
import { assembleHostApi, firstSetup } from './assemble-host-api.ts'
import { assembleKept, assembleModels } from './assemble-models.ts'
import { assemblePages, type AssembledPages } from './assemble-pages.ts'
import { assemblePlugins, type AssembledPlugins } from './assemble-plugins.ts'
import { openWatchedStore } from './assemble-store.ts'
import { assembleStreaming, type AssembledStreaming } from './assemble-streaming.ts'
import { createAuditLog, type AuditLog } from '../audit/audit-log.ts'
import { createRequestAudit, unaudited } from '../audit/request-audit.ts'
import { createAuthenticate } from '../authn/authenticate.ts'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import type { HostRoute } from '../call/host-route.ts'
import type { Log } from '../base/log.ts'
import { later } from './later.ts'
import { localhostOf, localOrigins } from '../base/origins.ts'
import { startChores } from './chores.ts'
import { createDispatch } from '../dispatch/dispatch.ts'
import { createHostRoutes } from '../dispatch/host-routes.ts'
import { batchRoutes } from '../host-api/batches.ts'
import { createClientReader } from '../http/client.ts'
import { createCors } from '../http/cors.ts'
import { listen, type Listener } from '../http/listener.ts'
import { createPublicUrlCheck } from '../http/public-url-check.ts'
import { createRequestMetrics } from '../http/request-metrics.ts'
import { createStreamLimits, requests, unboundedLists, type StreamLimits } from '../models/query/stream-limits.ts'
import { createPipeline, type Stages } from '../pipeline.ts'
import { createKnownPlugins } from '../plugins/run/known-plugins.ts'
import type { AssembleOptions, Server } from '../server.ts'

/** Maximum number of unpaged lists sent at a time. */
export const listLimits = { inAll: 8, perCaller: 2, ...unboundedLists }

/** The only place that knows all parts. */
export async function assemble(options: AssembleOptions): Promise<Server> {
  const { config, providers = [], keys = [], signInCode, log } = options
  const maxAgeMs = config.oidc.maxAge * 1000
  const clock = systemClock
  await using parts = new AsyncDisposableStack()
  // These parts need each other; those created last are declared first.
  const rights = later<AccessSource>('access')
  const plugins = later<AssembledPlugins>('plugins')
  const streaming = later<AssembledStreaming>('streaming')
  const listening = later<Listener>('the listener')
  const routes = later<readonly HostRoute[]>('the route table')
  const { store, ...stored } = await openWatchedStore(config, log, parts)
  const audit = openAudit(config, log, parts)
  const accessModels = createAccessModels({ store, clock, rights })
  const authorize = createAuthorize({ rolesOf: (caller) => rights().rolesOf(caller) })
  const kept = assembleKept({ store, keys, authorize }, parts)
  const { feed, ...seen } = await assembleFeed(store, options, parts)
  const served = await assembleModels({ store, clock, log, feed, accessModels, kept, keys, asked: plugins }, parts)
  const known = parts.use(await createKnownPlugins({ store, feed, ...kept }))
  const countsUntil = createCountsUntil({ maxAgeMs, providers })
  const claims = () => known.claims()
  const access = rights.is(
    parts.use(await createAccessSource({ store, clock, feed, countsUntil, claims, ...accessModels })),
  )
  const publicUrl = () => config.server.publicUrl ?? listening().url
  const onRevoked = (uid: string) => streaming().recheck(uid)
  const people = { store, clock, log, config, providers, access, accessModels, feed, publicUrl, onRevoked }
  const account = assembleHostApi({ ...people, signInCode }, parts)
  const { watching, streams, drain } = streaming.is(assembleStreaming({ ...people, settle: account.settle }, parts))
  const looked = { store, clock, log, authorize, ...seen, ...stored, ...served, listener: listening, plugins }
  const listed = { models: () => served.models.all(), hostRoutes: routes }
  const shown = { openWatches: () => watching.hub.size(), publicUrl: config.server.publicUrl }
  const pages = assemblePages({ ...looked, ...listed, ...shown })
  const forPlugins = { known, ...kept, ...pluginOptions(options), streams }
  const assembled = plugins.is(assemblePlugins({ ...people, ...served, ...forPlugins }, parts))
  const batches = batchRoutes({ store, clock, models: served.models, authorize, assertServed: assembled.assertServed })
  const hostHandler = createHostRoutes(
    routes.is([...account.hostRoutes, ...batches, ...assembled.hostRoutes, ...pages.hostRoutes]),
  )
  const stages: Stages = {
    audit: audit ? createRequestAudit((entry) => audit.record(entry)) : unaudited,
    early: pages.early,
    measure: config.metrics.port === undefined ? undefined : createRequestMetrics(),
    publicUrl,
    ...(options.development && { alsoOwn: () => localhostOf(publicUrl()) }),
    listedOrigins: options.development ? localOrigins : new Set(config.cors.origins),
    authenticate: createAuthenticate(account.authentication),
    authorize,
    hostHandler,
    inFlight: shareOf(config.http.maxInFlight),
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
  // Before the server listens: a client that finds it ready can sign in.
  const setupSecret = await firstSetup({ ...account.setup, audit }, options)
  const listener = listening.is(await open(options, stages, pages))
  const { ready } = await assembled.start(stages)
  startChores({ ...people, maxAgeMs, caches: [served.models.cache, ...access.caches] }, parts)
  const running = parts.move()
  return {
    url: listener.url,
    publicUrl: publicUrl(),
    ...(setupSecret !== undefined && { setupSecret }),
    database: store.description,
    ready,
    signIn: account.signIn,
    reopenAudit: () => audit?.reopen(),
    close: () => close({ listener, running, endStreams: drain }, options),
  }
}

function openAudit({ audit: { file } }: Config, log: Log, running: AsyncDisposableStack): AuditLog | undefined {
  return file === undefined ? undefined : running.use(createAuditLog({ file, clock: systemClock, log }))
}

async function open({ config, log }: AssembleOptions, stages: Stages, pages: AssembledPages): Promise<Listener> {
  const { publicUrl, listedOrigins } = stages
  return listen({
    at: config.server,
    log,
    handle: createPipeline(stages),
    cors: createCors(listedOrigins),
    clientOf: createClientReader(config.http.trustedProxies),
    checkClient: createPublicUrlCheck({ publicUrl, isSet: config.server.publicUrl !== undefined, log }),
    onAnswered: pages.onAnswered,
  })
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
