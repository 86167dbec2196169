import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { ApiError } from '@pergola/api'
import { createClient } from '@pergola/client'
import { leadAlways, type HoldSource } from '../controllers/hold.ts'
import { runController } from '../controllers/run-controller.ts'
import { inspect } from '../inspect/inspect.ts'
import { runSchedule, type ScheduleParts } from '../schedules/run-schedule.ts'
import { ownMemory, type ScheduleMemory } from '../schedules/schedule-memory.ts'
import type { AnyPlugin } from '../plugin.ts'
import { machineClock, type WakingClock } from './clock.ts'
import { createCustomApis, type CustomApiParts, type CustomApis } from './custom-apis.ts'
import { evaluate, type EvaluateItem } from './evaluate.ts'
import { followSettings, type FollowedSettings } from './follow-settings.ts'
import { createHostFetch } from './host-fetch.ts'
import { parseJson, readMessage } from './read-body.ts'
import { sendJson, sendResponse } from './send-response.ts'
import { createSettings, type SettingsSource } from './settings-source.ts'
import { serveUpgrades } from './serve-upgrades.ts'
import { pathOf, tellFailure } from './tell-failure.ts'

export interface PluginServerOptions {
  /** Shown by the host to the plugin, and by the plugin to the host. */
  readonly token: string
  /** Where the host listens: the path of a Unix socket. */
  readonly host: string
  /** What the host keeps for the plugin, as it is now, unless it is said. */
  readonly settings?: SettingsSource
  readonly clock?: WakingClock
  /** Told of what goes wrong in the plugin's code. */
  readonly log?: (text: string) => void
  /** When this process is the one whose controllers and schedules run; always unless it is said. */
  readonly hold?: HoldSource
  /** Where it is kept when schedules ran last; in this process unless it is said. */
  readonly schedules?: ScheduleMemory
}

/** A plugin that answers its host. */
export interface PluginServer {
  /** On a Unix socket. */
  listen(socket: string): Promise<void>
  /** Takes nothing new, and ends when what is running has ended or has had its time. */
  stop(): Promise<void>
}

/** For what is running; the host ends the process after 5 s. */
const graceMs = 4_500
/** What the host takes to tell the settings, and more. */
const settingsMs = 5_000
/** A batch of objects. */
const maxEvaluateBytes = 64 * 1024 * 1024

/** Everything of a running plugin but the process: the test host runs it in its own. */
export function createPluginServer(plugin: AnyPlugin, options: PluginServerOptions): PluginServer {
  const { token, clock = machineClock, log = () => {} } = options
  // Reserved groups are for the host to refuse: it knows where a plugin comes from.
  const definition = inspect(plugin, { comesWithHost: true })
  const hostFetch = createHostFetch(options.host)
  const stopping = new AbortController()
  const ended = new AbortController()
  const clientOf: CustomApiParts['clientOf'] = (headers) =>
    createClient({ url: 'http://host', token, fetch: hostFetch, headers })
  /** Begins when the plugin listens: before, the host does not know it. */
  let followed: FollowedSettings | undefined
  const settings = createSettings(plugin, options.settings ?? (() => followed?.source() ?? {}))
  const apis = createCustomApis(plugin, definition, {
    clientOf,
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
      return sendJson(response, { items: evaluate(plugin, await itemsOf(request)) })
    }
    await sendResponse(await answerCustom({ message: request, to: response }), response)
  }
  const server = createServer((request, response) => {
    if (stopping.signal.aborted) response.setHeader('connection', 'close')
    response.once('close', () => stopping.signal.aborted && server.closeIdleConnections())
    answer(request, response).catch((error: unknown) => tellFailure(error, { request, response, log }))
  })
  serveUpgrades(server, { answer: answerCustom, stopping: stopping.signal, ended: ended.signal, log })
  // The host keeps its connections for as long as it likes, and has deadlines of its own.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  const background: ScheduleParts = {
    clock,
    settings,
    log,
    fetch: hostFetch,
    clientBy: (fetch) => createClient({ url: 'http://host', token, fetch }),
    hold: options.hold ?? leadAlways,
    memory: options.schedules ?? ownMemory(),
    signal: stopping.signal,
  }
  let running: Promise<unknown> = Promise.resolve()
  /** Code that asks for settings is not run before they are known, unless that takes too long. */
  let settled: Promise<unknown> = Promise.resolve()
  return {
    listen: async (socket) => {
      server.listen(socket)
      await once(server, 'listening')
      if (plugin.settings && !options.settings) {
        followed = followSettings({ plugin: plugin.name, client: clientOf({}), log, signal: stopping.signal })
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

/** What runs without being asked. */
function startBackground({ controllers = {}, schedules = {} }: AnyPlugin, parts: ScheduleParts): Promise<void>[] {
  return [
    ...Object.entries(controllers).map(([name, one]) => runController(name, one, parts)),
    ...Object.entries(schedules).map(([name, one]) => runSchedule(name, one, parts)),
  ]
}

/** Resolves with the promise, after so long, or when the signal says so; whichever comes first. */
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

/** Takes the same time, however much of a token is right. */
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
