import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../store/store.ts'

const leaseMs = 30_000
/** Short, because the work is mostly short and a caller waits for it. */
const retryMs = { first: 5, most: 100 }

interface Wanted {
  readonly name: string
  /** Aborts waiting for the lease, not the work. */
  readonly signal?: AbortSignal
}

/** Runs work that only one caller may do at a time, across all replicas and within this one. */
export async function underLease<Result>(
  store: Pick<Store, 'acquireLease' | 'releaseLease'>,
  { name, signal }: Wanted,
  work: () => Promise<Result>,
): Promise<Result> {
  const holder = randomUUID()
  const take = () => store.acquireLease(name, { holder, ttlMs: leaseMs })
  let lease = await take()
  for (let waitMs = retryMs.first; !lease; waitMs = Math.min(retryMs.most, 2 * waitMs)) {
    await sleep(waitMs, undefined, signal && { signal })
    lease = await take()
  }
  const renewing = setInterval(() => void take().catch(() => {}), leaseMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewing)
    await store.releaseLease(lease)
  }
}
