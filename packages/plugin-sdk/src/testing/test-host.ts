import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type CallInput, type ModelClient, type RouteTypes } from '@pergola/client'
import { holdLeases } from '../controllers/hold-leases.ts'
import type { HoldSource } from '../controllers/hold.ts'
import { durationMs, type Duration } from '../duration.ts'
import { inspect } from '../inspect/inspect.ts'
import type { AnyModel } from '../model/model.ts'
import type { Plugin } from '../plugin.ts'
import type { AnyRoute, Route } from '../route/route.ts'
import { createHostFetch } from '../run/host-fetch.ts'
import { createModelClient } from '../run/model-client.ts'
import { createPluginServer } from '../run/plugin-server.ts'
import { hostMemory } from '../schedules/schedule-memory.ts'
import { administer, administrator, type Administration } from './administration.ts'
import { assertComplete, packCompanions, type Companion, type TestedPlugin } from './companions.ts'
import { loadServer, type PluginStart } from './embedded-server.ts'
import { observePlugin, type ObservedPlugin } from './observed-plugin.ts'
import { standInForOutside, type AnswerOutside, type SentRequest } from './outside-world.ts'
import { pluginArchive } from './plugin-archive.ts'
import { createRequestOf, type RouteRequest } from './route-request.ts'
import { isolatedFile, runIsolated } from './run-isolated.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

/** Timeout for a plugin to become idle. */
const restMs = 10_000
const lookMs = 2
/** Long enough to keep the lease while the test is paused at a breakpoint. */
const leaseSeconds = 300

export interface TestHostOptions<Input> {
  /** Initial time of the plugin's clock; defaults to the system time. The clock stands still until `advance`. */
  readonly now?: string
  /** Settings, as an operator would enter them. */
  readonly settings?: Input
  /** The plugin ships with the host: it is already installed and only needs to be enabled. */
  readonly comesWithHost?: boolean
  /**
   * Plugins that run beside it, such as its dependencies: their definitions, or names of plugins that ship with the host. They are
   * installed, approved and started first. A shipped one runs in a process of its own, by the system clock.
   */
  readonly with?: readonly Companion[]
  /** Answers the plugin's requests to external servers; by default, with an empty 200. */
  readonly outside?: AnswerOutside
  /**
   * Runs the plugin as a separate process, as a host does: from the entry file that `package.json` of the current folder names,
   * or from the given file. It then uses the system clock and the real network, so `now`, `outside`, `advance` and `sent` are
   * not available.
   */
  readonly isolate?: boolean | string
}

/** A caller with its own credential. */
export interface TestCaller {
  readonly client: ModelClient
  /** Calls a custom API, given its value, with path parameters, and with `body` and `query` where the route takes them. */
  call<Types extends RouteTypes>(route: Route<Types>, ...input: CallInput<Types>): Promise<Types['answer']>
  /** Calls a custom API and returns the raw response, for streams and responses that are not JSON. */
  open<Types extends RouteTypes>(route: Route<Types>, ...input: CallInput<Types>): Promise<Response>
}

export interface TestHost extends AsyncDisposable {
  /** Creates a user with these roles, in addition to those that everybody has. */
  user(name: string, roles?: readonly string[]): Promise<TestCaller>
  readonly anonymous: TestCaller
  /** Advances the clock and waits until controllers and schedules have done all due work, each at its time. */
  advance(by: Duration): Promise<void>
  /** Requests that the plugin has sent to this URL, oldest first. */
  sent(url: string): readonly SentRequest[]
}

/**
 * Starts a real host in memory with the plugin installed, approved and started. Both run in the test's process, so breakpoints,
 * coverage and mocks reach the plugin. They still communicate over the usual socket and protocol.
 */
export async function testHost<Input>(plugin: Plugin<Input>, options: TestHostOptions<Input> = {}): Promise<TestHost> {
  const { comesWithHost = false, with: companions = [] } = options
  refuseChosen(options)
  assertComplete(plugin, companions)
  const definition = inspect(plugin, { comesWithHost })
  const tested: TestedPlugin = { plugin, definition, archive: pluginArchive(definition) }
  const { embed, versionWithin } = await loadServer()
  const others = packCompanions(plugin, companions, versionWithin)
  const shippedNames = companions.filter((one) => typeof one === 'string')
  await using stack = new AsyncDisposableStack()
  const clock = createTestClock(timeOf(options.now))
  const { sent, realFetch: fetch } = stack.use(standInForOutside(options.outside))
  const [settled, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const observing = {
    clock,
    list: (model: AnyModel) => createModelClient({ client: admin.client, signal: stopping.signal })(model).list().all(),
  }
  const observed = (options.isolate ? others : [tested, ...others]).map((one) => observePlugin(one.plugin, observing))
  const runnerOf = (name: string) => {
    const found = observed.find((one) => one.plugin.name === name)
    if (!found && name !== plugin.name) return undefined
    return async (start: PluginStart) => {
      // The host validates settings against the schema of an installed plugin; they are stored before the plugin runs.
      if (name === plugin.name) await settled.promise
      if (found) return runObserved(found, { ...start, clock, started: started.promise })
      return runIsolated(isolatedFile(options.isolate || true, process.cwd()), told(start))
    }
  }
  const shipped = [...shippedNames, ...(comesWithHost ? [tested.archive] : [])]
  const { url } = stack.use(await embed({ administrator, runnerOf, shipped, log: complain }))
  stack.defer(() => settled.resolve())
  const stopping = new AbortController()
  stack.defer(() => stopping.abort())
  const requestOf = createRequestOf([tested, ...others])
  const asCaller = (token?: string): TestCaller => {
    const client = createClient({ url, fetch, token })
    return {
      client: createModelClient({ client, signal: stopping.signal }),
      call: (route, ...[input]) => client.call(requestOf(route, input)),
      open: (route, ...[input]) => open({ url, fetch, token, signal: stopping.signal }, route, requestOf(route, input)),
    }
  }
  const admin = await administer({ url, fetch })
  await startCompanions(admin, shippedNames, others)
  if (comesWithHost) await admin.enable(plugin.name)
  else await admin.install(tested.archive)
  await admin.fillIn(definition, options.settings ?? {})
  settled.resolve()
  await admin.untilStarted(plugin.name)
  started.resolve()
  await untilAtRest(clock, observed)
  const running = stack.move()
  return {
    user: async (name, roles = []) => asCaller(await admin.addUser(name, roles)),
    anonymous: asCaller(),
    advance: async (by) => (options.isolate ? refuseIsolated('advance') : advance(clock, observed, by)),
    sent: (to) => (options.isolate ? refuseIsolated('sent') : sent.filter(({ url: at }) => at === new URL(to).href)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function startCompanions(
  admin: Administration,
  shippedNames: readonly string[],
  others: readonly TestedPlugin[],
): Promise<void> {
  for (const name of shippedNames) {
    await admin.enable(name)
    await admin.untilStarted(name)
  }
  for (const { plugin, archive } of others) {
    await admin.install(archive)
    await admin.untilStarted(plugin.name)
  }
}

/** `now` and `outside` require the plugin to run in the test's process. */
function refuseChosen({ isolate, now, outside }: Pick<TestHostOptions<unknown>, 'isolate' | 'now' | 'outside'>): void {
  if (isolate && now !== undefined) refuseIsolated('now')
  if (isolate && outside !== undefined) refuseIsolated('outside')
}

function refuseIsolated(what: string): never {
  throw new Error(`"${what}" is not available with isolate; remove isolate`)
}

interface OpenParts {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly token: string | undefined
  /** Aborted when the test host is disposed: ends streams. */
  readonly signal: AbortSignal
}

function open(parts: OpenParts, route: AnyRoute, { method, path, body }: RouteRequest): Promise<Response> {
  const { url, fetch, token, signal } = parts
  const headers = {
    accept: route.stream ? 'text/event-stream' : (route.produces ?? 'application/json'),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  return fetch(`${url}${path}`, { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) })
}

interface RunParts extends PluginStart {
  readonly clock: TestClock
  /** Resolves when the plugin is started; the host grants no leases earlier. */
  readonly started: Promise<void>
}

/** Copies the plugin's log to the test's stderr. */
function told<Start extends PluginStart>(start: Start): Start {
  const log = (line: string) => {
    start.log(line)
    complain(`${line}\n`)
  }
  return { ...start, log }
}

/** Runs the plugin as a separate process would, except for the clock. */
async function runObserved(observed: ObservedPlugin, parts: RunParts): Promise<AsyncDisposable> {
  const { token, host, listen, log, clock, started } = told(parts)
  const client = createClient({ url: 'http://host', token, fetch: createHostFetch(host) })
  const leases = holdLeases({ client, log, seconds: leaseSeconds })
  const hold: HoldSource = async function* (name, signal) {
    await Promise.race([started, untilAborted(signal)])
    yield* leases(name, signal)
  }
  const schedules = observed.remembering(hostMemory(client))
  const server = createPluginServer(observed.plugin, { token, host, clock, log, hold, schedules })
  await server.listen(listen)
  return { [Symbol.asyncDispose]: () => server.stop() }
}

async function advance(clock: TestClock, observed: readonly ObservedPlugin[], by: Duration): Promise<void> {
  const ms = durationMs(by)
  if (ms === undefined) throw new Error(`"${by}" is not a duration; write 90s, 5m, 2h or 1d`)
  const end = clock.now() + ms
  do await untilAtRest(clock, observed)
  while (clock.step(end))
}

/** Fires all timers of this instant and waits until the work that follows from them has ended. */
async function untilAtRest(clock: TestClock, observed: readonly ObservedPlugin[]): Promise<void> {
  const deadline = performance.now() + restMs
  for (;;) {
    // Together: a controller that waits for a time is at rest, and a schedule that has not run at its time is not.
    clock.fireDue()
    const left = await firstUnfinished(observed)
    if (left === undefined && !clock.isDue()) return
    if (performance.now() > deadline) {
      const what = left ?? 'a controller asks again and again to run at once'
      throw new Error(`the plugin was not idle after ${restMs / 1000} s: ${what}`)
    }
    await sleep(lookMs)
  }
}

async function firstUnfinished(observed: readonly ObservedPlugin[]): Promise<string | undefined> {
  for (const { unfinished } of observed) {
    const left = await unfinished()
    if (left !== undefined) return left
  }
  return undefined
}

function timeOf(text: string | undefined): number {
  const time = text === undefined ? Date.now() : Date.parse(text)
  if (Number.isNaN(time)) throw new Error(`now is "${text}", which is no time such as 2030-03-01T09:00:00Z`)
  return time
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Writes to the test's stderr. */
function complain(text: string): void {
  process.stderr.write(text)
}
