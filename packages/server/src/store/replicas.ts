import { hostVersion } from '../base/host-version.ts'
import type { Log } from '../base/log.ts'
import type { Replica } from '../base/replica.ts'
import { keepLease, replicaLeases } from './keep-lease.ts'
import type { HeldLease, Store } from './store.ts'

/** A replica that was not seen for this long counts as dead: it has missed two heartbeats. */
const aliveMs = 15_000

/** What the processes of a plugin may use on a replica. */
export interface PluginBounds {
  readonly memoryBytes: number
  readonly scratchBytes: number
  readonly processes: number
}

/** What a plugin uses on a replica, and rates since the last heartbeat. */
export interface PluginRates {
  readonly memoryBytes: number
  readonly processes: number
  /** Absent if none of its processes runs. */
  readonly limits?: PluginBounds
  /** CPU seconds per second. */
  readonly cpu: number
  /** Unexpected exits since the replica started. */
  readonly exits: number
  readonly openRequests: number
  readonly requestsPerSecond: number
  /** Milliseconds until an answer began, on average; absent if there was none. */
  readonly answerMs?: number
}

/** What a replica tells the others with each heartbeat. */
interface Heartbeat {
  readonly name: string
  readonly version: string
  readonly startedAt: string
  /** Milliseconds since it last proved that it has every committed change. */
  readonly feedLagMs: number
  readonly uses?: Readonly<Record<string, PluginRates>>
}

/** A live replica, and the leases that it holds. */
export interface LiveReplica extends Heartbeat {
  readonly id: string
  readonly leases: readonly string[]
}

/** The replicas that share a database, as each reports itself. */
export interface Replicas extends AsyncDisposable {
  /** From now on the other replicas see this one, and what its plugins use. */
  start(uses?: () => Readonly<Record<string, PluginRates>>): Promise<void>
  /** This replica's id. */
  readonly own: string
  readonly ownName: string
  /** The ids of all live replicas. */
  live(): Promise<ReadonlySet<string>>
  /** All live replicas by name; without those of a version that does not describe itself. */
  list(): Promise<readonly LiveReplica[]>
}

export interface ReplicasParts {
  readonly store: Store
  readonly log: Log
  readonly replica: Replica
  readonly feedLagMs: () => number
}

export function createReplicas({ store, log, replica, feedLagMs }: ReplicasParts): Replicas {
  const { id, name, startedAt } = replica
  const kept = new AsyncDisposableStack()
  const heartbeat = (): Heartbeat => ({ name, version: hostVersion, startedAt, feedLagMs: Math.round(feedLagMs()) })
  return {
    own: id,
    ownName: name,
    start: async (uses = () => ({})) => {
      const about = () => JSON.stringify({ ...heartbeat(), uses: uses() } satisfies Heartbeat)
      kept.use(await keepLease({ store, log, aliveMs }, `${replicaLeases}${id}`, about))
    },
    live: async () => new Set((await store.heldLeases(replicaLeases)).map(idOf)),
    list: async () => {
      const held = await store.heldLeases('')
      const heartbeats = held.filter((lease) => lease.name.startsWith(replicaLeases) && lease.about !== undefined)
      return heartbeats
        .map((lease) => ({
          id: idOf(lease),
          ...(JSON.parse(lease.about ?? '') as Heartbeat),
          leases: held.filter((other) => other !== lease && other.replica === idOf(lease)).map((other) => other.name),
        }))
        .toSorted((one, other) => one.name.localeCompare(other.name))
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function idOf({ name }: HeldLease): string {
  return name.slice(replicaLeases.length)
}
