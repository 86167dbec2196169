import type { PluginState, PluginVersion } from '@pergola/api'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InstalledPlugin } from './known-plugins.ts'
import type { PluginRunner } from './plugin-runner.ts'

/** The activated version replaces the other when it has started, or after this long in any case. */
const arriveMs = 10_000

/** A plugin's versions on this replica: the active one, and the next one. */
export interface Seat extends AsyncDisposable {
  readonly active: PluginRunner | undefined
  readonly next: PluginRunner | undefined
  /** A restarted process until it takes over, and stopping ones, which finish their requests. */
  readonly others: () => readonly PluginRunner[]
  /** Follows the plugin's current spec, or stops everything when there is none; calls are handled one after the other. */
  follow(plugin: InstalledPlugin | undefined): Promise<void>
}

export interface SeatParts {
  readonly run: (plugin: InstalledPlugin, version: PluginVersion) => PluginRunner
  /** Upgrades the plugin to its candidate, unless another replica does; until aborted. */
  readonly upgrade: (plugin: InstalledPlugin, signal: AbortSignal) => Promise<void>
  /** Removes what the plugin added, unless another replica does; until aborted. */
  readonly remove: (plugin: InstalledPlugin, signal: AbortSignal) => Promise<void>
  readonly tell: (plugin: InstalledPlugin, digest: string, state: PluginState) => void
}

/** Work that one replica does for a plugin, while its spec asks for it. */
interface Job {
  readonly what: string
  readonly stopping: AbortController
  readonly done: Promise<void>
}

export function createSeat({ run, upgrade, remove, tell }: SeatParts): Seat {
  let active: PluginRunner | undefined
  let next: PluginRunner | undefined
  let arriving: PluginRunner | undefined
  let following = Promise.resolve()
  const { leaving, leave, untilGone } = createLeaving()

  const doJob = createJobs()
  const empty = async () => {
    for (const runner of [active, next]) void leave(runner)
    active = undefined
    next = undefined
    await untilGone()
  }
  const seatActive = async (plugin: InstalledPlugin) => {
    const { digest, restarts } = plugin.spec
    if (active?.digest === digest && active.plugin.spec.restarts === restarts) return
    const isPrepared = next?.digest === digest
    if (active && (isPrepared || active.digest === digest)) {
      const successor = isPrepared && next ? next : run(plugin, plugin.spec)
      arriving = successor
      successor.admit()
      await Promise.race([successor.arrived, sleep(arriveMs)])
      const former = active
      void leave(former, () => former.retire())
      active = successor
      arriving = undefined
      if (isPrepared) next = undefined
      return
    }
    await leave(active)
    active = run(plugin, plugin.spec)
  }
  const seatNext = async (plugin: InstalledPlugin) => {
    const { candidate } = plugin.spec
    if (next && next.digest !== candidate?.digest) {
      const former = next
      next = undefined
      await leave(former)
    }
    if (candidate) next ??= run(plugin, candidate)
    await doJob(candidate?.digest, (signal) => upgrade(plugin, signal))
  }
  /** The job for a stopped plugin; an upgrade detects this and is abandoned. */
  const idleJob = (plugin: InstalledPlugin | undefined) => {
    const { removal, candidate } = plugin?.spec ?? {}
    if (!plugin) return doJob(undefined)
    if (removal) return doJob(removal, (signal) => remove(plugin, signal))
    return doJob(candidate?.digest, (signal) => upgrade(plugin, signal))
  }
  const settle = async (plugin: InstalledPlugin | undefined) => {
    if (!plugin?.spec.enabled || (active && active.plugin.uid !== plugin.uid)) {
      const tellDisabled = active !== undefined && plugin?.spec.enabled === false
      // Before the removal begins, which reports more.
      if (tellDisabled && plugin.spec.removal) tell(plugin, plugin.spec.digest, { phase: 'Disabled' })
      await idleJob(plugin)
      await empty()
      if (tellDisabled && !plugin.spec.removal) tell(plugin, plugin.spec.digest, { phase: 'Disabled' })
      if (!plugin?.spec.enabled) return
    }
    await seatActive(plugin)
    await seatNext(plugin)
  }
  return {
    get active() {
      return active
    },
    get next() {
      return next
    },
    others: () => (arriving ? [arriving, ...leaving()] : leaving()),
    follow: (plugin) => (following = following.then(() => settle(plugin))),
    [Symbol.asyncDispose]: async () => {
      await following
      await doJob(undefined)
      await empty()
    },
  }
}

/** One job at a time: a different job, or none, first stops the current one. */
function createJobs() {
  let job: Job | undefined
  return async (what: string | undefined, work?: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    if (job?.what === what) return
    const ending = job
    job = undefined
    ending?.stopping.abort()
    await ending?.done
    if (what === undefined || !work) return
    const stopping = new AbortController()
    job = { what, stopping, done: work(stopping.signal) }
  }
}

/** Tracks stopping versions until they have exited. */
function createLeaving() {
  const leaving = new Map<PluginRunner, Promise<void>>()
  return {
    leaving: () => [...leaving.keys()],
    leave: async (runner: PluginRunner | undefined, end = () => runner?.[Symbol.asyncDispose]()): Promise<void> => {
      if (!runner) return
      const gone = Promise.resolve(end()).finally(() => leaving.delete(runner))
      leaving.set(runner, gone)
      await gone
    },
    untilGone: async () => {
      await Promise.all(leaving.values())
    },
  }
}
