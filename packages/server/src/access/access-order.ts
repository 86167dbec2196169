import { ApiError } from '@pergola/api'
import { readCounter } from '../store/records/write-counters.ts'
import { GuardFailed } from '../store/guard-failed.ts'
import { retryRaces } from '../store/retry-races.ts'
import type { Guard, Store } from '../store/store.ts'

/**
 * Serializes writes of roles, bindings and everything decided from them across all replicas, by this counter: two writes that
 * are harmless alone may together grant everything.
 */
const counter = 'access'

/** Guard for a write that needs no access decision. It increments the counter, so access decisions in flight are repeated. */
export const afterOthers: Guard = { is: 'counted', counter }

/**
 * Call it before reading anything that decides about a write. Used as a guard, it fails when a role or binding has changed
 * since.
 */
export async function accessAsRead(store: Store): Promise<Guard> {
  return { is: 'counted', counter, expected: await readAccessCount(store) }
}

/** The number of writes of roles and bindings so far. */
export function readAccessCount(store: Store): Promise<number> {
  return readCounter(store, counter)
}

/** Repeats decision and write if another write of roles or bindings came first. */
export async function inAccessOrder<Done>(store: Store, work: (order: Guard) => Promise<Done>): Promise<Done> {
  try {
    return await retryRaces(async () => work(await accessAsRead(store)), cameFirst)
  } catch (error) {
    if (!cameFirst(error)) throw error
    throw new ApiError('VersionConflict', 'users, roles and bindings keep changing; retry', { cause: error })
  }
}

function cameFirst(error: unknown): boolean {
  return error instanceof GuardFailed && error.guard.is === 'counted'
}
