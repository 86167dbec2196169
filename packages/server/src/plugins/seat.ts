import { setTimeout as sleep } from 'node:timers/promises'
import type { InstalledPlugin } from './known-plugins.ts'
import type { PluginState, PluginVersion } from './plugin-model.ts'
import type { PluginRunner } from './plugin-runner.ts'

/** One that was admitted takes over from the other when it has started; and after so long however it is. */
const arriveMs = 10_000

/** A plugin's place on this replica: the version that holds, and the one that is prepared beside it. */
export interface Seat extends AsyncDisposable {
  readonly active: PluginRunner | undefined
  readonly incoming: PluginRunner | undefined
  /** Those that were told to end: they may still finish what they do, and give back what they hold. */
  readonly leaving: () => readonly PluginRunner[]
  /** Makes it what the plugin now says, or nothing when there is none; one word after the other. */
  follow(plugin: InstalledPlugin | undefined): Promise<void>
}

export interface SeatParts {
  readonly run: (plugin: InstalledPlugin, version: PluginVersion) => PluginRunner
  /** Takes the plugin to its candidate, unless another replica does; until it is aborted. */
  readonly upgrade: (plugin: InstalledPlugin, signal: AbortSignal) => Promise<void>
  /** Takes away what it has brought, unless another replica does; until it is aborted. */
  readonly remove: (plugin: InstalledPlugin, signal: AbortSignal) => Promise<void>
  readonly tell: (plugin: InstalledPlugin, digest: string, state: PluginState) => void
}

/** What is done for a plugin by one replica, for as long as it says so. */
interface Job {
  readonly what: string
  readonly stopping: AbortController
  readonly done: Promise<void>
}

export function createSeat({ run, upgrade, remove, tell }: SeatParts): Seat {
  let active: PluginRunner | undefined
  let incoming: PluginRunner | undefined
  let following = Promise.resolve()
  const { leaving, leave, untilGone } = createLeaving()

  const doJob = createJobs()
  const empty = async () => {
    for (const runner of [active, incoming]) void leave(runner)
    active = undefined
    incoming = undefined
    await untilGone()
  }
  const seatActive = async (plugin: InstalledPlugin) => {
    const { digest, restarts } = plugin.spec
    if (active?.digest === digest && active.plugin.spec.restarts === restarts) return
    const isPrepared = incoming?.digest === digest
    if (active && (isPrepared || active.digest === digest)) {
      const next = isPrepared && incoming ? incoming : run(plugin, plugin.spec)
      next.admit()
      await Promise.race([next.arrived, sleep(arriveMs)])
      const former = active
      void leave(former, () => former.retire())
      active = next
      if (isPrepared) incoming = undefined
      return
    }
    await leave(active)
    active = run(plugin, plugin.spec)
  }
  const seatIncoming = async (plugin: InstalledPlugin) => {
    const { candidate } = plugin.spec
    if (incoming && incoming.digest !== candidate?.digest) {
      const former = incoming
      incoming = undefined
      await leave(former)
    }
    if (candidate) incoming ??= run(plugin, candidate)
    await doJob(candidate?.digest, (signal) => upgrade(plugin, signal))
  }
  /** What is to be done for one that does not run; an upgrade sees that, and is given up. */
  const idleJob = (plugin: InstalledPlugin | undefined) => {
    const { removal, candidate } = plugin?.spec ?? {}
    if (!plugin) return doJob(undefined)
    if (removal) return doJob(removal, (signal) => remove(plugin, signal))
    return doJob(candidate?.digest, (signal) => upgrade(plugin, signal))
  }
  const settle = async (plugin: InstalledPlugin | undefined) => {
    if (!plugin?.spec.enabled || (active && active.plugin.uid !== plugin.uid)) {
      const wasRunning = active !== undefined
      await idleJob(plugin)
      await empty()
      if (!plugin) return
      if (!plugin.spec.enabled) {
        if (wasRunning && !plugin.spec.removal) tell(plugin, plugin.spec.digest, { phase: 'Disabled' })
        return
      }
    }
    await seatActive(plugin)
    await seatIncoming(plugin)
  }
  return {
    get active() {
      return active
    },
    get incoming() {
      return incoming
    },
    leaving,
    follow: (plugin) => (following = following.then(() => settle(plugin))),
    [Symbol.asyncDispose]: async () => {
      await following
      await doJob(undefined)
      await empty()
    },
  }
}

/** One at a time: another one than is being done ends that first; none ends it too. */
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

/** Who is told to end, until it has ended. */
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
