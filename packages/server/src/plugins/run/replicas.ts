import { randomUUID } from 'node:crypto'
import type { Log } from '../../base/log.ts'
import { keepLease, replicaLeases } from '../../store/keep-lease.ts'
import type { Store } from '../../store/store.ts'

/** A replica that was not seen for this long counts as dead. */
const aliveMs = 15_000

/** The replicas that share a database, as each reports itself. */
export interface Replicas extends AsyncDisposable {
  /** This replica's id. */
  readonly own: string
  /** The ids of all live replicas. */
  live(): Promise<ReadonlySet<string>>
}

export async function joinReplicas(store: Store, log: Log): Promise<Replicas> {
  const own = randomUUID()
  const kept = await keepLease({ store, log, aliveMs }, `${replicaLeases}${own}`)
  return {
    own,
    live: async () => new Set((await store.heldLeases(replicaLeases)).map((held) => held.slice(replicaLeases.length))),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}
