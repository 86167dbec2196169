import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError, type PluginSpec, type PluginStatus, type PluginVersion } from '@pergola/api'
import type { Log } from '../../base/log.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import type { ApplyParts } from '../run/declared-objects.ts'
import type { InstalledPlugin } from '../run/known-plugins.ts'
import { NotStarted, PluginFailed, Superseded } from '../run/not-started.ts'
import { openPackage } from '../package/open-package.ts'
import type { Packages } from '../package/packages.ts'
import { specOf } from '../plugin-model.ts'
import type { PluginStatuses } from '../run/plugin-statuses.ts'
import { untilBuilt, type RegisterParts } from '../run/register-models.ts'
import type { Replicas } from '../../store/replicas.ts'
import { declareNext, withdraw } from './next-models.ts'
import { switchVersions } from './switch-versions.ts'

/** Polling interval; short, because a caller waits. One check is two reads, on one replica. */
const lookMs = 25
/** Added to the time that a process may take to start. */
const patienceMs = 15_000

export interface UpgradeParts extends ApplyParts, RegisterParts {
  readonly plugins: Model
  readonly packages: Packages
  readonly statuses: Pick<PluginStatuses, 'tellUpgrade'>
  readonly replicas: Pick<Replicas, 'live'>
  readonly limits: { readonly startMs: number }
  readonly log: Log
  /** Runs work that one replica at a time may do for the plugin. */
  readonly exclusively: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>
}

/**
 * Upgrades a plugin from the active version to its candidate, on one replica for all of them. Until the switch, which is one
 * transaction, any failure leaves everything unchanged.
 */
export async function upgrade(parts: UpgradeParts, plugin: InstalledPlugin, signal: AbortSignal): Promise<void> {
  const { candidate, ...spec } = plugin.spec
  if (!candidate) return
  const said = { from: spec.version, to: candidate.version }
  try {
    const now = await stateOf(parts, plugin)
    if (now.spec.candidate?.digest !== candidate.digest) return
    await parts.statuses.tellUpgrade(plugin, { ...said, phase: 'Preparing', message: 'it is started beside the other' })
    await untilPrepared(parts, { plugin, candidate, signal })
    const after = await openPackage(parts.packages, candidate.digest)
    const { models } = after.manifest.definition
    await parts.exclusively(`plugin/${plugin.name}`, () => declareNext(parts, models))
    await untilBuilt(parts, models, {
      signal,
      assertWanted: async () => void (await assertWanted(parts, { plugin, candidate })),
      onProgress: (message) =>
        void parts.statuses.tellUpgrade(plugin, { ...said, phase: 'Preparing', message }).catch(() => {}),
    })
    await untilPrepared(parts, { plugin, candidate, signal })
    const before = await openPackage(parts.packages, spec.digest).catch(() => undefined)
    await parts.exclusively(`plugin/${plugin.name}`, () => switchVersions(parts, { plugin, candidate, before, after }))
    await parts.statuses.tellUpgrade(plugin, { ...said, phase: 'Switched' })
    parts.log.info({ plugin: plugin.name, ...said }, 'a plugin is upgraded')
  } catch (error) {
    if (signal.aborted || error instanceof Superseded) return
    const isOwn = error instanceof PluginFailed || error instanceof NotStarted || isApiError(error)
    if (!isOwn) parts.log.error({ err: error, plugin: plugin.name }, 'an upgrade failed')
    await giveUp(parts, plugin, (error as Error).message)
  }
}

/** Abandons the upgrade and restores the state before it. Does nothing if the candidate has become active, or is removed. */
export async function giveUp(parts: UpgradeParts, plugin: InstalledPlugin, why: string): Promise<void> {
  const { candidate, version } = plugin.spec
  if (!candidate) return
  const isWithdrawn = await parts.exclusively(`plugin/${plugin.name}`, () => withdraw(parts, plugin))
  if (!isWithdrawn) return
  parts.log.warn({ plugin: plugin.name, to: candidate.version, why }, 'upgrade abandoned')
  await parts.statuses.tellUpgrade(plugin, { from: version, to: candidate.version, phase: 'Failed', message: why })
}

interface Awaited {
  readonly plugin: InstalledPlugin
  readonly candidate: PluginVersion
  readonly signal: AbortSignal
}

/** Waits until every live replica runs the candidate next to the active version. */
async function untilPrepared(parts: UpgradeParts, { plugin, candidate, signal }: Awaited): Promise<void> {
  const until = performance.now() + parts.limits.startMs + patienceMs
  for (;;) {
    signal.throwIfAborted()
    const { status } = await assertWanted(parts, { plugin, candidate })
    const said = (status.replicas ?? []).filter(({ digest }) => digest === candidate.digest)
    const live = await parts.replicas.live()
    const failed = said.find(({ phase, replica }) => phase === 'Failed' && live.has(replica))
    if (failed) throw new PluginFailed(failed.message ?? 'it could not be started')
    const ready = new Set(said.filter(({ phase }) => phase === 'Prepared').map(({ replica }) => replica))
    if ([...live].every((replica) => ready.has(replica))) return
    if (performance.now() > until) throw new PluginFailed(`only ${ready.size} of ${live.size} replicas could start it`)
    await sleep(lookMs, undefined, { signal })
  }
}

/** Throws to end the upgrade. */
async function assertWanted(
  parts: UpgradeParts,
  { plugin, candidate }: Pick<Awaited, 'plugin' | 'candidate'>,
): Promise<PluginSeen> {
  const seen = await stateOf(parts, plugin)
  if (seen.spec.candidate?.digest !== candidate.digest) throw new Superseded('another candidate has replaced this one')
  if (!seen.spec.enabled) throw new PluginFailed('the plugin was disabled')
  return seen
}

interface PluginSeen {
  readonly spec: PluginSpec
  readonly status: PluginStatus
}

async function stateOf({ store, plugins }: UpgradeParts, { name, uid }: InstalledPlugin): Promise<PluginSeen> {
  const stored = await store.get(plugins, name)
  if (!stored || stored.uid !== uid) throw new Superseded('it is no longer installed')
  const object = fromData(stored.data)
  return { spec: specOf(object), status: (object['status'] ?? {}) as PluginStatus }
}
