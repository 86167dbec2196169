import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  audienceGroup,
  isAudienceGroup,
  type OwnedDeclaration,
  type RequestInfo,
  type RouteDeclaration,
  type PluginState,
} from '@pergola/api'
import { deepEqual } from '../../base/deep-equal.ts'
import { gauge } from '../../base/metrics.ts'
import type { AnsweringPlugin } from '../custom-api/custom-api.ts'
import type { OwnedResource } from '../../models/verbs/owner-scope.ts'
import type { ModelDefinition } from '../../models/definition/definition.ts'
import { evaluationFault, type Evaluation, type EvaluationRequest } from '../../models/definition/evaluation.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { StaleModel } from '../../store/stale-model.ts'
import type { InstalledPlugin, KnownPlugins } from './known-plugins.ts'
import { createNeighbours } from './neighbours.ts'
import { createPluginUses, type PluginUses } from './plugin-uses.ts'
import { specOf } from '../plugin-model.ts'
import { runPlugin, type PluginRunner, type RunnerParts } from './plugin-runner.ts'
import { createPluginStatuses } from './plugin-statuses.ts'
import { removePlugin } from '../removal/remove-plugin.ts'
import type { Replicas } from '../../store/replicas.ts'
import { createSeat, type Seat } from './seat.ts'
import { underLease } from './under-lease.ts'
import { createPluginLog, type PluginLog } from './plugin-log.ts'
import { giveUp, upgrade, type UpgradeParts } from '../upgrade/upgrade.ts'

/** The group prefix of owned objects. */
const ownPrefix = audienceGroup('uc', '')
/** How long a new replica may take to have a candidate running. */
const candidateMs = 5_000
const lookMs = 50

export interface SupervisorParts extends Omit<
  RunnerParts,
  'onState' | 'uses' | 'exclusively' | 'activeSpec' | 'neighbours'
> {
  readonly known: KnownPlugins
  readonly plugins: Model
  readonly replicas: Pick<Replicas, 'own' | 'ownName' | 'live'>
  /** Called with every state of a version on this replica. */
  readonly onPluginState: (plugin: string, digest: string, state: PluginState) => void
}

/** Custom APIs, which are served besides models. */
interface ServedApis {
  readonly routes: readonly RouteDeclaration[]
  readonly owned: readonly OwnedDeclaration[]
  /** Apps that answer requests that match no route, by group and version. */
  readonly apps: readonly { readonly plugin: string; readonly path: string }[]
}

interface StartToken {
  readonly plugin: string
  readonly token: string
  readonly groups: readonly string[]
}

/** Nothing for the models of a plugin: the host serves those. */
interface Reached {
  /** The model of the owned objects at the path, and the path of the owner's name. */
  readonly owned?: OwnedResource
  /** Answers custom APIs at the path. */
  readonly answering?: AnsweringPlugin
}

/** Runs the installed and enabled plugins on this replica, and provides access to them. */
export interface Supervisor extends AsyncDisposable {
  /** Starts the installed plugins, and follows them; the result resolves when they have started, or could not. */
  start(): { readonly firstStarts: Promise<unknown> }
  /** What the plugin of a path's group has there; throws when it must be started for that and is not. */
  reach(info: RequestInfo): Reached
  /** The custom APIs of the plugins that run or would run. */
  readonly customApis: () => ServedApis
  /** The latest log lines of a plugin's processes on all replicas. */
  readonly linesOf: PluginLog['read']
  /** What each plugin uses on this replica. */
  readonly uses: PluginUses['read']
  /** The tokens of all running processes. */
  readonly startTokens: () => readonly StartToken[]
  /** The token of the active version, once its models are served. */
  leadingToken(plugin: string): string | undefined
  /** Asks the plugin of a model about an object. */
  evaluate(model: ModelDefinition, request: EvaluationRequest): Promise<Evaluation>
  /** Asks the version being prepared. When it cannot answer, abandons the upgrade and throws `StaleModel`. */
  evaluateNext(model: ModelDefinition, request: EvaluationRequest): Promise<Evaluation>
  /** Throws when the group belongs to a plugin that is not started, or whose indexes are not built. */
  readonly assertServed: (group: string) => void
}

export function createSupervisor(parts: SupervisorParts): Supervisor {
  const { known } = parts
  const { seats, look, uses, written, giveUpOn, settled } = createSeats(parts)
  const following = new DisposableStack()
  const activeIn = (group: string) => {
    const plugin = known.claims().pluginOf(group)
    return { plugin, runner: plugin === undefined ? undefined : seats.get(plugin)?.active }
  }
  const runners = () =>
    [...seats.values()].flatMap(({ active, next, others }) => [
      ...new Set([active, next, ...others()].filter((one) => !!one)),
    ])
  return {
    start: () => {
      following.use(known.onChange(() => void look()))
      return {
        firstStarts: look().then(() => Promise.all([...seats.values()].map(async ({ active }) => active?.arrived))),
      }
    },
    customApis: () => apisOf([...seats.values()].flatMap((seat) => (seat.active ? [seat.active] : []))),
    linesOf: written.read,
    uses: uses.read,
    reach: (info) => {
      const group = groupOf(info)
      const { plugin, runner } = group === undefined ? {} : activeIn(group)
      if (group === undefined || plugin === undefined) return {}
      if (!isAudienceGroup(group)) {
        if (info.kind === 'resource' && !runner?.isServing) throw notStarted(plugin, parts)
        return {}
      }
      const owned = ownedAt(info, runner?.owned)
      if (owned && runner?.isServing) return { owned }
      const { door, routes } = runner ?? {}
      if (owned || !door || !routes) throw notStarted(plugin, parts)
      return { answering: { door, routes, hasApp: runner?.apps.some((app) => app.group === group) ?? false } }
    },
    startTokens: () =>
      runners().flatMap(({ token, plugin: { name }, groups }) => (token ? [{ plugin: name, token, groups }] : [])),
    leadingToken: (plugin) => {
      const { active } = seats.get(plugin) ?? {}
      // The process must be healthy, too: it has its token earlier.
      return active?.isServing && active.evaluator ? active.token : undefined
    },
    evaluate: async (model, request) => {
      const plugin = known.claims().pluginOf(model.group) ?? notClaimed(model)
      const { active, next } = seats.get(plugin) ?? {}
      // Between the switch and its activation here, the new active version is still `next`.
      const runner = next && !declares(active, model) && declares(next, model) ? next : active
      if (!runner?.evaluator) throw notStarted(plugin, parts)
      return runner.evaluator.evaluate(model, request)
    },
    evaluateNext: async (model, request) => {
      const plugin = known.claims().pluginOf(model.group) ?? ''
      const evaluator = await nextEvaluator(() => seats.get(plugin)?.next, model)
      try {
        if (!evaluator) throw new Error('it was not started in time')
        return await evaluator.evaluate(model, request)
      } catch (error) {
        const installed = known.all().find(({ name }) => name === plugin)
        const why = `it failed to compute index values: ${evaluationFault(error)}`
        if (installed) await giveUpOn(installed, why)
        throw new StaleModel(model)
      }
    },
    assertServed: (group) => {
      const { plugin, runner } = activeIn(group)
      if (plugin !== undefined && !runner?.isServing) throw notStarted(plugin, parts)
    },
    [Symbol.asyncDispose]: async () => {
      following.dispose()
      await Promise.all([...seats.values()].map((seat) => seat[Symbol.asyncDispose]()))
      await settled()
      await written[Symbol.asyncDispose]()
      uses[Symbol.dispose]()
    },
  }
}

function apisOf(active: readonly PluginRunner[]): ServedApis {
  return {
    routes: active.flatMap(({ declaredRoutes }) => declaredRoutes),
    owned: active.flatMap(({ owned }) => owned),
    apps: active.flatMap(({ plugin, apps }) =>
      apps.flatMap(({ group, versions }) =>
        versions.map((version) => ({ plugin: plugin.name, path: `/apis/${group}/${version}` })),
      ),
    ),
  }
}

/** Also finds the group of paths that are too long for a resource. */
function groupOf(info: RequestInfo): string | undefined {
  if (info.kind === 'resource') return info.group
  const [, root, group] = info.path.split('/')
  return root === 'apis' ? group : undefined
}

function ownedAt(info: RequestInfo, owned: readonly OwnedDeclaration[] = []): OwnedDeclaration | undefined {
  // Paths below owned objects are answered by the plugin.
  if (info.kind !== 'resource' || info.subresource !== undefined) return undefined
  const { group, resource } = info
  return owned.find((one) => `${ownPrefix}${one.group}` === group && one.plural === resource)
}

/** Reads the spec that is active now, if it is the one of this installation and package. */
function activeSpecReader({ store, plugins }: Pick<SupervisorParts, 'store' | 'plugins'>): RunnerParts['activeSpec'] {
  return async ({ name, uid }, digest) => {
    const stored = await store.get(plugins, name)
    const spec = stored?.uid === uid ? specOf(fromData(stored.data)) : undefined
    return spec?.digest === digest ? spec : undefined
  }
}

/** A seat for each plugin that is or was installed. */
function createSeats(parts: SupervisorParts) {
  const { known, log, store } = parts
  const seats = new Map<string, Seat>()
  const statuses = createPluginStatuses(parts)
  const written = createPluginLog(parts)
  const exclusively: RunnerParts['exclusively'] = (name, work) => underLease(store, { name }, work)
  const neighbours = createNeighbours({
    installed: (name) => known.all().find((plugin) => plugin.name === name),
    isStarted: (name) => seats.get(name)?.active?.door !== undefined,
  })
  const phases = countPlugins()
  const uses = createPluginUses()
  const onState: RunnerParts['onState'] = (plugin, digest, state) => {
    if (digest === plugin.spec.digest) phases.set(plugin.name, state.phase)
    statuses.tell(plugin, digest, state)
    parts.onPluginState(plugin.name, digest, state)
    if (state.phase === 'Started') neighbours.tell()
  }
  const onLine: RunnerParts['onLine'] = (plugin, line) => {
    written.add(plugin, line)
    parts.onLine(plugin, line)
  }
  const activeSpec = activeSpecReader(parts)
  const runnerParts: RunnerParts = { ...parts, exclusively, activeSpec, neighbours, uses, onState, onLine }
  const upgradeParts: UpgradeParts = { ...parts, exclusively, statuses }
  const newSeat = () =>
    createSeat({
      run: (plugin, version) => runPlugin(runnerParts, plugin, version),
      upgrade: async (plugin, signal) => {
        const lease = { name: `plugin/${plugin.name}/upgrade`, signal }
        try {
          await underLease(store, lease, () => upgrade(upgradeParts, plugin, signal))
        } catch (err) {
          if (!signal.aborted) log.error({ err, plugin: plugin.name }, 'failed to finish an upgrade')
        }
      },
      remove: async (plugin, signal) => {
        const tell = (state: PluginState) => statuses.tell(plugin, plugin.spec.digest, state)
        try {
          const lease = { name: `plugin/${plugin.name}/removal`, signal }
          if (plugin.spec.candidate) await giveUp(upgradeParts, plugin, 'the plugin is uninstalled')
          await underLease(store, lease, () => removePlugin(parts, { plugin, signal, tell }))
        } catch (err) {
          if (signal.aborted) return
          log.error({ err, plugin: plugin.name }, 'failed to uninstall a plugin')
          const message = `it could not be uninstalled: ${(err as Error).message}`
          tell({ phase: 'Disabled', reason: 'Failed', message })
        }
      },
      tell: statuses.tell,
    })
  return {
    seats,
    uses,
    written,
    look: async () => {
      const wanted = new Map(known.all().map((plugin) => [plugin.name, plugin]))
      for (const name of seats.keys()) {
        if (wanted.has(name)) continue
        written.forget(name)
        uses.forget(name)
        phases.delete(name)
      }
      for (const [name, { spec }] of wanted) {
        if (!seats.has(name)) seats.set(name, newSeat())
        if (!spec.enabled) phases.set(name, 'Disabled')
      }
      const followed = [...seats].map(([name, seat]) =>
        seat.follow(wanted.get(name)).catch((err: unknown) => log.error({ err }, 'failed to reconcile a plugin')),
      )
      neighbours.tell()
      await Promise.all(followed)
    },
    giveUpOn: (plugin: InstalledPlugin, why: string) => giveUp(upgradeParts, plugin, why),
    settled: () => statuses.settled(),
  }
}

/** The phases of plugins, by name, for the metrics. */
function countPlugins(): Map<string, string> {
  const phases = new Map<string, string>()
  gauge('pergola_plugins', () => {
    const counts = new Map<string, number>()
    for (const phase of phases.values()) counts.set(phase, (counts.get(phase) ?? 0) + 1)
    return [...counts].map(([phase, value]) => ({ value, labels: { phase } }))
  })
  return phases
}

/** Used for every write that asks a plugin, so each answer is cached. */
const declaredBy = new WeakMap<PluginRunner, WeakMap<ModelDefinition, boolean>>()

function declares(runner: PluginRunner | undefined, model: ModelDefinition): boolean {
  if (!runner) return false
  const answers = declaredBy.get(runner) ?? new WeakMap<ModelDefinition, boolean>()
  declaredBy.set(runner, answers)
  const { next: _, ...wanted } = model
  const answer = answers.get(model) ?? runner.declared.some((declared) => deepEqual(declared, wanted))
  if (runner.declared.length > 0) answers.set(model, answer)
  return answer
}

async function nextEvaluator(runnerOf: () => PluginRunner | undefined, { next }: ModelDefinition) {
  const until = performance.now() + candidateMs
  for (;;) {
    const runner = runnerOf()
    if (next && runner?.evaluator && declares(runner, next)) return runner.evaluator
    if (performance.now() > until) return undefined
    await sleep(lookMs)
  }
}

/** The error for requests to a plugin that is not started. Only what becomes better by itself is worth another try. */
function notStarted(name: string, { known }: Pick<SupervisorParts, 'known'>): ApiError {
  const { enabled = true, removal } = known.all().find((plugin) => plugin.name === name)?.spec ?? {}
  const words = (text: string) => `the plugin ${name} ${text}`
  if (removal !== undefined) {
    return new ApiError('PluginNotStarted', words('is uninstalled; an administrator can install it again'))
  }
  if (!enabled) return new ApiError('PluginNotStarted', words('is disabled; an administrator can enable it'))
  return new ApiError('PluginNotStarted', words('is not started; try again'), { headers: { 'retry-after': '1' } })
}

function notClaimed({ group, plural }: ModelDefinition): never {
  throw new ApiError(
    'PluginNotStarted',
    `${plural} are checked or indexed by a plugin, and no plugin with the group ${group} is installed; install it`,
  )
}
