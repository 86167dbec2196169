import { hostVersion } from '../base/host-version.ts'
import type { Log } from '../base/log.ts'
import type { Replica } from '../base/replica.ts'
import { keepLease, replicaLeases } from './keep-lease.ts'
import type { HeldLease, Store } from './store.ts'

/** A replica that was not seen for this long counts as dead: it has missed two heartbeats. */
const aliveMs = 15_000

/** What a replica tells the others with each heartbeat. */
interface Heartbeat {
  readonly name: string
  readonly version: string
  readonly startedAt: string
  /** Milliseconds since it last proved that it has every committed change. */
  readonly feedLagMs: number
}

/** A live replica, and the leases that it holds. */
export interface LiveReplica extends Heartbeat {
  readonly id: string
  readonly leases: readonly string[]
}

/** The replicas that share a database, as each reports itself. */
export interface Replicas extends AsyncDisposable {
  /** From now on the other replicas see this one. */
  start(): Promise<void>
  /** This replica's id. */
  readonly own: string
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
  const about = () =>
    JSON.stringify({ name, version: hostVersion, startedAt, feedLagMs: Math.round(feedLagMs()) } satisfies Heartbeat)
  return {
    own: id,
    start: async () => void kept.use(await keepLease({ store, log, aliveMs }, `${replicaLeases}${id}`, about)),
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
