import { isDeepStrictEqual } from 'node:util'
import {
  audienceGroup,
  createRouteTable,
  type OwnedDeclaration,
  type PluginDefinition,
  type RouteDeclaration,
  type RouteTable,
  type PluginSpec,
  type PluginState,
  type PluginVersion,
} from '@pergola/api'
import { setTimeout as sleep } from 'node:timers/promises'
import { pluginCaller } from '../../call/plugin-caller.ts'
import type { PluginDoor } from '../custom-api/proxy-to-plugin.ts'
import type { Log } from '../../base/log.ts'
import { definitionOf, type ModelDefinition, type ModelSpec } from '../../models/definition/definition.ts'
import type { DeclaredObject } from '../package/declared-object.ts'
import { applyDeclared, type ApplyParts } from './declared-objects.ts'
import { createEvaluator, type Evaluator } from './evaluator.ts'
import type { InstalledPlugin } from './known-plugins.ts'
import { hostFault, type Manifest } from '../package/manifest.ts'
import { untilMet, untilUnmet, type Neighbours } from './neighbours.ts'
import { NotStarted, PluginFailed, Superseded } from './not-started.ts'
import type { PluginUses } from './plugin-uses.ts'
import { openPackage } from '../package/open-package.ts'
import type { Packages } from '../package/packages.ts'
import { installingCaller } from '../plugin-model.ts'
import type { Account, Accounts } from '../process/accounts.ts'
import type { Cgroups } from '../process/cgroups.ts'
import type { Inspector } from '../process/inspector.ts'
import type { RunHere } from '../process/launch-here.ts'
import type { HostLimits } from '../process/launch-options.ts'
import { limitsFor } from './limits-for.ts'
import { newStartToken, startPluginProcess, type PluginProcess } from '../process/plugin-process.ts'
import { areReady, haveDuplicates, registerModels, untilBuilt, type RegisterParts } from './register-models.ts'
import { unpackInto, type UnpackedPackage } from '../package/unpacked-package.ts'

/** Backoff after the first exit; doubled with each further exit that follows soon. */
export const firstWaitMs = 500
export const longestWaitMs = 300_000
/** After running for this long, the backoff starts again. */
const steadyMs = 60_000
/** Time for requests in flight before another version replaces it. */
const retireMs = 5_000
const repairMs = 500
/** Number of last log lines in the status. */
const shownLines = 15

export interface RunnerParts extends ApplyParts, RegisterParts {
  readonly packages: Packages
  readonly log: Log
  readonly hostSocket: string
  /** What every plugin may use. */
  readonly limits: HostLimits
  readonly accounts: Pick<Accounts, 'take'>
  readonly cgroups: Cgroups | undefined
  readonly neighbours: Neighbours
  readonly uses: Pick<PluginUses, 'follow' | 'exited' | 'answered'>
  /** How to run a plugin in the host's own process, for tests of plugins; undefined for those with a process of their own. */
  readonly runnerOf?: ((plugin: string) => RunHere | undefined) | undefined
  /** Called for every line that a plugin writes. */
  readonly onLine: (plugin: string, line: string) => void
  /** The debugger port of the plugin, if it has one. */
  readonly inspectorOf: (plugin: string) => Inspector | undefined
  /** Runs work that one replica at a time may do for the plugin. */
  readonly exclusively: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>
  /** The plugin as stored now; undefined when the version is not the active one any more. */
  readonly activeSpec: (plugin: InstalledPlugin, digest: string) => Promise<PluginSpec | undefined>
  /** Called for every new state. */
  readonly onState: (plugin: InstalledPlugin, digest: string, state: PluginState) => void
}

/** One version of a plugin on this replica: started, monitored and restarted until it is released. */
export interface PluginRunner extends AsyncDisposable {
  readonly plugin: InstalledPlugin
  readonly digest: string
  /** Activates a version that was only prepared; does nothing if it is already active. */
  admit(): void
  /** Stops it once requests in flight are answered or timed out. */
  retire(): Promise<void>
  /** Resolves when it has started, or could not. */
  readonly arrived: Promise<void>
  /** The models that it declares, once its package was read. */
  readonly declared: readonly ModelDefinition[]
  /** Set while its process runs and it is started. */
  readonly door: PluginDoor | undefined
  /** Set while its process runs. */
  readonly evaluator: Evaluator | undefined
  /** Authenticates the host and the plugin to each other while its process runs. */
  readonly token: string | undefined
  /** Whether its models are declared and their indexes built, independent of its process. */
  readonly isServing: boolean
  readonly routes: RouteTable<RouteDeclaration> | undefined
  /** The custom APIs that it declares, whether its process runs or not. */
  readonly declaredRoutes: readonly RouteDeclaration[]
  /** Groups in which an app of the plugin answers requests that match no route. */
  readonly apps: readonly AppGroup[]
  /** The owned objects that it declares, once it is served. */
  readonly owned: readonly OwnedDeclaration[]
  /** The groups that it claims, once its package was read. */
  readonly groups: readonly string[]
}

interface AppGroup {
  readonly group: string
  /** The API versions under which it is described. */
  readonly versions: readonly string[]
}

interface Prepared {
  readonly manifest: Manifest
  readonly objects: readonly DeclaredObject[]
  readonly unpacked: UnpackedPackage
  readonly account: Account | undefined
  readonly limits: HostLimits
}

/** The state of a running version. */
interface Run {
  readonly parts: RunnerParts
  readonly plugin: InstalledPlugin
  readonly digest: string
  readonly stopping: AbortController
  readonly tell: (state: PluginState) => void
  /** Resolves when it is activated. */
  readonly admitted: PromiseWithResolvers<void>
  isAdmitted: boolean
  readonly arrived: PromiseWithResolvers<void>
  declared: readonly ModelDefinition[]
  declaredRoutes: readonly RouteDeclaration[]
  apps: readonly AppGroup[]
  process?: PluginProcess | undefined
  /** Known before its process is started: a plugin may call its host as soon as it runs. */
  token?: string | undefined
  door?: PluginDoor | undefined
  evaluator?: Evaluator | undefined
  routes?: RouteTable<RouteDeclaration>
  isServing: boolean
  owned: readonly OwnedDeclaration[]
  groups: readonly string[]
}

/** A next version is prepared, and waits until it is activated. */
export function runPlugin(parts: RunnerParts, plugin: InstalledPlugin, { digest }: PluginVersion): PluginRunner {
  const run = newRun(parts, plugin, digest)
  const admit = () => {
    run.isAdmitted = true
    run.admitted.resolve()
  }
  if (digest === plugin.spec.digest) admit()
  const running = keepRunning(run).catch((error: unknown) => {
    run.arrived.resolve()
    if (run.stopping.signal.aborted || error instanceof Superseded) return
    parts.log.warn({ plugin: plugin.name, err: error }, 'a plugin cannot be started')
    if (error instanceof NotStarted) run.tell({ phase: 'NotStarted', reason: error.reason, message: error.message })
    else run.tell({ phase: 'Failed', message: (error as Error).message })
  })
  const stop = async () => {
    run.stopping.abort()
    run.admitted.resolve()
    run.arrived.resolve()
    await run.process?.[Symbol.asyncDispose]()
    await running
  }
  return {
    plugin,
    digest,
    admit,
    retire: async () => {
      run.stopping.abort()
      run.door = undefined
      const closing = run.process?.link.pool.close().catch(() => {})
      await Promise.race([closing, sleep(retireMs, undefined, { ref: false })])
      await stop()
    },
    arrived: run.arrived.promise,
    get declared() {
      return run.declared
    },
    get door() {
      return run.door
    },
    get evaluator() {
      return run.evaluator
    },
    get token() {
      return run.token
    },
    get isServing() {
      return run.isServing
    },
    get declaredRoutes() {
      return run.declaredRoutes
    },
    get apps() {
      return run.apps
    },
    get owned() {
      return run.owned
    },
    get groups() {
      return run.groups
    },
    get routes() {
      return run.routes
    },
    [Symbol.asyncDispose]: stop,
  }
}

function newRun(parts: RunnerParts, plugin: InstalledPlugin, digest: string): Run {
  return {
    parts,
    plugin,
    digest,
    tell: (state) => parts.onState(plugin, digest, state),
    stopping: new AbortController(),
    admitted: Promise.withResolvers(),
    isAdmitted: false,
    arrived: Promise.withResolvers(),
    isServing: false,
    owned: [],
    groups: [],
    declared: [],
    declaredRoutes: [],
    apps: [],
  }
}

/** Starts the plugin, and restarts it with growing backoff when it exits; throws errors that a retry would not fix. */
async function keepRunning(run: Run): Promise<void> {
  const { parts, plugin, tell, stopping } = run
  tell({ phase: 'NotStarted' })
  using prepared = await prepare(parts, plugin, run.digest)
  const { definition } = prepared.manifest
  run.owned = definition.owned
  run.groups = definition.groups
  run.declaredRoutes = definition.routes
  run.apps = appsOf(definition)
  run.declared = definition.models.map((model) => definitionOf(model as ModelSpec))
  // Models with built indexes are served independent of the process.
  run.isServing = run.isAdmitted && (await areReady(parts, definition.models))
  for (let failures = 0; !stopping.signal.aborted;) {
    await untilMet(parts.neighbours, definition.dependencies, {
      signal: stopping.signal,
      onUnmet: ({ message, isLasting }) => {
        if (isLasting && !run.isAdmitted) throw new PluginFailed(message)
        // Do not wait for a dependency that may never come.
        if (isLasting) run.arrived.resolve()
        tell({ phase: 'NotStarted', reason: 'WaitingForDependency', message })
      },
    })
    if (stopping.signal.aborted) return
    const { why, ranMs, isLeftAlone } = await runOnce(run, prepared).catch((error: unknown) => {
      if (error instanceof PluginFailed || error instanceof NotStarted || error instanceof Superseded) throw error
      return { why: (error as Error).message, ranMs: 0, isLeftAlone: false }
    })
    if (stopping.signal.aborted) return
    if (isLeftAlone) continue
    // No request depends on this version yet, so only the upgrade fails.
    if (!run.isAdmitted) throw new PluginFailed(why)
    run.arrived.resolve()
    failures = ranMs > steadyMs ? 1 : failures + 1
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1))
    parts.uses.exited(plugin.name)
    parts.log.warn({ plugin: plugin.name, waitMs, why }, 'plugin exited; restarting after backoff')
    const next = `it is started again in ${Math.ceil(waitMs / 1000)} s`
    // Also written to the plugin's log, because the status is lost on restart.
    parts.onLine(plugin.name, `pergola: ${firstLine(why)}; ${next}`)
    const message = `${why}\n${next}`
    tell({ phase: 'NotStarted', reason: 'BackingOff', message })
    await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
  }
}

interface Ended {
  readonly why: string
  readonly ranMs: number
  /** It was stopped because a dependency is gone. */
  readonly isLeftAlone: boolean
}

/** Runs the process from start to exit, and reports how it ended. */
async function runOnce(run: Run, prepared: Prepared): Promise<Ended> {
  const { parts, plugin } = run
  const over = new AbortController()
  const began = performance.now()
  using counted = new DisposableStack()
  try {
    const running = await start(run, prepared, counted)
    parts.log.info({ plugin: plugin.name, ms: Math.round(performance.now() - began) }, 'a plugin is started')
    run.tell({ phase: 'Started' })
    run.arrived.resolve()
    const { dependencies } = prepared.manifest.definition
    const end = await Promise.race([
      running.exited.then((exit) => ({ why: endOf(exit), isLeftAlone: false })),
      untilUnmet(parts.neighbours, dependencies, over.signal).then((why = '') => ({ why, isLeftAlone: true })),
    ])
    return { ...end, ranMs: performance.now() - began }
  } finally {
    over.abort()
    run.door = undefined
    run.evaluator = undefined
    await run.process?.[Symbol.asyncDispose]()
    run.process = undefined
    run.token = undefined
  }
}

function firstLine(why: string): string {
  return why.split('\n', 1).join('').replace(/:$/, '')
}

/** Describes the exit, with the last log lines. */
function endOf({ how, lines }: Awaited<PluginProcess['exited']>): string {
  return [`it ${how}`, ...lines.slice(-shownLines)].join('\n')
}

/** Up to `Started`: its process, its models and their indexes, its declared objects. */
async function start(
  run: Run,
  { manifest, objects, unpacked, account, limits }: Prepared,
  counted: DisposableStack,
): Promise<PluginProcess> {
  const { parts, plugin, digest, tell, stopping } = run
  const { name } = plugin
  const { models } = manifest.definition
  unpacked.emptyScratch()
  run.token = newStartToken()
  const running = await startPluginProcess({
    name,
    token: run.token,
    command: unpacked.command,
    directory: unpacked.scratch,
    hostSocket: parts.hostSocket,
    limits,
    signal: stopping.signal,
    account,
    cgroups: parts.cgroups,
    runHere: parts.runnerOf?.(name),
    inspector: parts.inspectorOf(name),
    onLine: (line) => parts.onLine(name, line),
  })
  run.process = running
  counted.use(parts.uses.follow(name, running, limits))
  // A stop during the start had no process to end.
  stopping.signal.throwIfAborted()
  run.evaluator = createEvaluator(name, running.link)
  if (!isDeepStrictEqual(await running.link.definition(), manifest.definition)) {
    throw new PluginFailed('the running process has a different definition than its package; pack the plugin again')
  }
  if (!run.isAdmitted) {
    tell({ phase: 'Prepared' })
    const ended = running.exited.then(({ how }) => Promise.reject(new Error(`it ${how}`)))
    await Promise.race([run.admitted.promise, ended])
    stopping.signal.throwIfAborted()
    // Everything was built before the switch.
    run.isServing = true
  }
  const ended = new AbortController()
  void running.exited.then((exit) => ended.abort(new Error(endOf(exit))))
  const over = AbortSignal.any([stopping.signal, ended.signal])
  void serveForRepair(run, models, over)
  await parts.exclusively(`plugin/${name}`, async () => {
    const active = await parts.activeSpec(plugin, digest)
    if (!active) throw new Superseded('another version is active')
    await registerModels(parts, name, models)
    await untilBuilt(parts, models, {
      // Without the process, the index values cannot be computed.
      signal: over,
      onDuplicates: (message) => {
        // It is unknown when the data will be repaired.
        run.arrived.resolve()
        tell({ phase: 'NotStarted', reason: 'DuplicateValues', message })
      },
      onProgress: (message) => tell({ phase: 'NotStarted', reason: 'BuildingIndexes', message }),
    }).catch((error: unknown) => {
      ended.signal.throwIfAborted()
      throw error
    })
    run.isServing = true
    const installer = installingCaller(active)
    await applyDeclared(parts, manifest, { objects, caller: pluginCaller(name, running.token), installer })
  })
  run.routes = createRouteTable(manifest.definition.routes)
  const { pool, share, streams, socket, authorization } = running.link
  const onAnswer = (seconds: number) => parts.uses.answered(name, seconds)
  run.door = { name, pool, share, streams, socket, authorization, onAnswer, stopping: stopping.signal }
  return running
}

/** On every replica: while duplicate values keep the plugin from starting, its objects can be read, changed and deleted. */
async function serveForRepair(run: Run, models: PluginDefinition['models'], signal: AbortSignal): Promise<void> {
  while (!run.isServing && !signal.aborted) {
    // The start may have ended meanwhile, so this must not say that it is not served.
    if (await haveDuplicates(run.parts, models).catch(() => false)) run.isServing = true
    await sleep(repairMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

function appsOf({ apps, groups, api = '/', models }: PluginDefinition): readonly AppGroup[] {
  const [apiGroup, apiVersion = ''] = api.split('/')
  return groups.flatMap((group) => {
    const own = models
      .filter((model) => model.group === group)
      .flatMap(({ versions }) => versions.map(({ name }) => name))
    const versions = [...new Set([...(group === apiGroup ? [apiVersion] : []), ...own])]
    return apps.map((audience) => ({ group: audienceGroup(audience, group), versions }))
  })
}

/** Reads and checks the package once. */
async function prepare(
  parts: Pick<RunnerParts, 'packages' | 'accounts' | 'limits'>,
  { name, spec }: InstalledPlugin,
  digest: string,
): Promise<Prepared & Disposable> {
  const { read, manifest, objects } = await openPackage(parts.packages, digest)
  const fault = manifest.name === name ? hostFault(manifest) : `its package is that of ${manifest.name}`
  if (fault !== undefined) throw new PluginFailed(fault)
  using stack = new DisposableStack()
  const limits = limitsFor(parts.limits, manifest.definition.needs, spec.limits)
  const account = stack.use(await parts.accounts.take())
  const unpacked = stack.use(unpackInto(name, read, { account, memoryBytes: limits.memoryBytes }))
  const kept = stack.move()
  return { manifest, objects, unpacked, account, limits, [Symbol.dispose]: () => kept[Symbol.dispose]() }
}
