import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '@pergola/api'
import { createClient } from '@pergola/client'
import { fencedFetch, leadAlways, type HoldSource } from '../controllers/hold.ts'
import { runController } from '../controllers/run-controller.ts'
import { inspect } from '../inspect/inspect.ts'
import { runSchedule, type ScheduleParts } from '../schedules/run-schedule.ts'
import { inMemorySchedules, type ScheduleMemory } from '../schedules/schedule-memory.ts'
import type { AnyPlugin } from '../plugin.ts'
import { machineClock, type WakingClock } from './clock.ts'
import { createCustomApis, type CustomApis } from './custom-apis.ts'
import { evaluate, type EvaluateItem } from './evaluate.ts'
import { followSettings, type FollowedSettings } from './follow-settings.ts'
import { createHostFetch } from './host-fetch.ts'
import { createServer } from './node-http.ts'
import { createLeases } from './leases.ts'
import type { ClientBy } from './model-client.ts'
import { parseJson, readMessage } from './read-body.ts'
import { sendJson, sendResponse } from './send-response.ts'
import { createSettings, type SettingsSource } from './settings-source.ts'
import { serveUpgrades } from './serve-upgrades.ts'
import { pathOf, tellFailure } from './tell-failure.ts'
import { untraced, type TraceRun } from './trace-run.ts'

export interface PluginServerOptions {
  /** Authenticates host and plugin to each other. */
  readonly token: string
  /** Path of the host's Unix socket. */
  readonly host: string
  /** Source of the settings; by default, follows those that the host stores. */
  readonly settings?: SettingsSource
  readonly clock?: WakingClock
  /** Called with errors of the plugin's code. */
  readonly log?: (text: string) => void
  /** Leader election for controllers and schedules; by default, this process always leads. */
  readonly hold?: HoldSource
  /** Stores when schedules last ran; by default, in memory. */
  readonly schedules?: ScheduleMemory
  /** By default, no run is traced. */
  readonly traceRun?: TraceRun
}

/** A server that answers the plugin's host. */
export interface PluginServer {
  /** Listens on a Unix socket and starts controllers and schedules. */
  listen(socket: string): Promise<void>
  /** Stops accepting requests and resolves when running ones have ended or the grace period is over. */
  stop(): Promise<void>
}

/** Grace period for running requests; the host kills the process after 5 s. */
const graceMs = 4_500
/** Longest wait for the settings before the plugin's code runs without them. */
const settingsMs = 5_000
/** Maximum size of a batch of objects. */
const maxEvaluateBytes = 64 * 1024 * 1024

/** Runs a plugin without owning the process; the test host runs it in the test's process. */
export function createPluginServer(plugin: AnyPlugin, options: PluginServerOptions): PluginServer {
  const { token, clock = machineClock, log = () => {}, hold = leadAlways, traceRun = untraced } = options
  // Only the host knows whether a plugin shipped with it, so it checks reserved groups.
  const definition = inspect(plugin, { comesWithHost: true })
  const stopping = new AbortController()
  const ended = new AbortController()
  const clientBy = clientsOf(token, createHostFetch(options.host))
  const runLeased = createLeases(hold, leaseNames(plugin))
  /** Set when the plugin listens; the host does not know the plugin earlier. */
  let followed: FollowedSettings | undefined
  const settings = createSettings(plugin, options.settings ?? (() => followed?.source() ?? {}))
  const apis = createCustomApis(plugin, definition, {
    clientBy,
    runLeased,
    clock,
    settings,
    stopping: stopping.signal,
    ended: ended.signal,
  })
  const refuseStrangers = strangerCheck(token)

  const answerCustom: CustomApis['answer'] = async (asked) => {
    refuseStrangers(asked.message)
    await settled
    return apis.answer(asked)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    refuseStrangers(request)
    const own = `${request.method} ${pathOf(request)}`
    if (own === 'GET /pergola/health') return sendJson(response, {})
    if (own === 'GET /pergola/definition') return sendJson(response, definition)
    if (own === 'POST /pergola/evaluate') {
      return sendJson(response, { items: evaluate(plugin, await itemsOf(request), log) })
    }
    await sendResponse(await answerCustom({ message: request, to: response }), response)
  }
  const server = createServer((request, response) => {
    if (stopping.signal.aborted) response.setHeader('connection', 'close')
    response.once('close', () => stopping.signal.aborted && server.closeIdleConnections())
    answer(request, response).catch((error: unknown) => tellFailure(error, { request, response, log }))
  })
  serveUpgrades(server, { answer: answerCustom, stopping: stopping.signal, ended: ended.signal, log })
  // No timeouts: the host manages its connections and deadlines.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  const background: ScheduleParts = {
    clock,
    settings,
    log,
    clientBy,
    runLeased,
    hold,
    onSettingsChange: (listener, signal) => followed?.onChange(listener, signal),
    memory: options.schedules ?? inMemorySchedules(),
    traceRun,
    signal: stopping.signal,
  }
  let running: Promise<unknown> = Promise.resolve()
  /** Delays the plugin's code until the settings are known, for at most `settingsMs`. */
  let settled: Promise<unknown> = Promise.resolve()
  return {
    listen: async (socket) => {
      server.listen(socket)
      await once(server, 'listening')
      if (plugin.settings && !options.settings) {
        followed = followSettings({ plugin: plugin.name, client: clientBy({}), log, signal: stopping.signal })
        settled = atMost(settingsMs, followed.ready, stopping.signal)
      }
      running = settled.then(() => Promise.all(startBackground(plugin, background)))
    },
    stop: async () => {
      if (stopping.signal.aborted) return
      stopping.abort(new Error('the plugin stops'))
      const closed = once(server, 'close')
      server.close()
      const giveUp = setTimeout(() => {
        ended.abort(stopping.signal.reason)
        server.closeAllConnections()
      }, graceMs)
      const tooLong = new Promise((resolve) => ended.signal.addEventListener('abort', resolve))
      await Promise.all([closed, Promise.race([running, tooLong])])
      clearTimeout(giveUp)
    },
  }
}

function clientsOf(token: string, fetch: typeof globalThis.fetch): ClientBy {
  return ({ fence, ...how }) =>
    createClient({ url: 'http://host', token, fetch: fence === undefined ? fetch : fencedFetch(fetch, fence), ...how })
}

/** Each controller and each schedule holds a lease of its name. */
function leaseNames({ controllers = {}, schedules = {} }: AnyPlugin): readonly string[] {
  return [...Object.keys(controllers), ...Object.keys(schedules)]
}

/** Starts all controllers and schedules. */
function startBackground({ controllers = {}, schedules = {} }: AnyPlugin, parts: ScheduleParts): Promise<void>[] {
  return [
    ...Object.entries(controllers).map(([name, one]) => runController(name, one, parts)),
    ...Object.entries(schedules).map(([name, one]) => runSchedule(name, one, parts)),
  ]
}

/** Resolves with the promise, after `ms`, or when the signal aborts, whichever is first. */
function atMost(ms: number, promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve(), { once: true })
    void promise.then(() => resolve()).finally(() => clearTimeout(timer))
  })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Compares in constant time. */
function strangerCheck(token: string): (request: IncomingMessage) => void {
  const expected = digest(`Bearer ${token}`)
  return ({ headers: { authorization = '' } }) => {
    if (timingSafeEqual(digest(authorization), expected)) return
    throw new ApiError('Unauthenticated', 'only the host of this plugin is answered here', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

async function itemsOf(request: IncomingMessage): Promise<readonly EvaluateItem[]> {
  const { items } = parseJson(await readMessage(request, maxEvaluateBytes)) as { readonly items?: unknown }
  if (!Array.isArray(items)) throw new ApiError('BadRequest', 'the body has no items')
  return items as readonly EvaluateItem[]
}
