import { randomUUID } from 'node:crypto'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'

/** A replica that was not seen for this long is not waited for. */
const aliveMs = 15_000
const prefix = 'replica/'

/** The replicas that share a database, as each reports itself. */
export interface Replicas extends AsyncDisposable {
  /** This replica's id. */
  readonly own: string
  /** The ids of all live replicas. */
  live(): Promise<ReadonlySet<string>>
}

export async function joinReplicas(store: Store, log: Log): Promise<Replicas> {
  const own = randomUUID()
  const name = `${prefix}${own}`
  const renew = () => store.acquireLease(name, { holder: own, ttlMs: aliveMs })
  const lease = await renew()
  const renewing = setInterval(
    () => void renew().catch((err: unknown) => log.warn({ err }, "failed to renew this replica's lease")),
    aliveMs / 2.5,
  )
  return {
    own,
    live: async () => new Set((await store.heldLeases(prefix)).map((held) => held.slice(prefix.length))),
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewing)
      // If the database cannot be reached, the lease expires.
      if (lease) await store.releaseLease(lease).catch(() => {})
    },
  }
}
