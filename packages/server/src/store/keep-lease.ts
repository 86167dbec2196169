import { randomUUID } from 'node:crypto'
import type { Log } from '../base/log.ts'
import type { Store } from './store.ts'

/** Every replica holds one such lease, followed by its id. */
export const replicaLeases = 'replica/'

export interface LeaseParts {
  readonly store: Store
  readonly log: Log
  /** A process that was not seen for this long counts as gone. */
  readonly aliveMs: number
}

/** Holds a lease that says that this process lives, until it is disposed of; `about` is stored with each renewal. */
export async function keepLease(
  { store, log, aliveMs }: LeaseParts,
  name: string,
  about?: () => string,
): Promise<AsyncDisposable> {
  const holder = randomUUID()
  const renew = () => store.acquireLease(name, { holder, ttlMs: aliveMs, ...(about && { about: about() }) })
  const lease = await renew()
  const renewing = setInterval(
    () =>
      void renew().catch((err: unknown) => log.warn({ err, lease: name }, 'failed to renew a lease of this replica')),
    aliveMs / 2.5,
  )
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewing)
      // If the database cannot be reached, the lease expires.
      if (lease) await store.releaseLease(lease).catch(() => {})
    },
  }
}
