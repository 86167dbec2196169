import { readCounter } from '../store/counters.ts'
import { GuardFailed } from '../store/guard-failed.ts'
import type { Guard, Store } from '../store/store.ts'

/**
 * Roles, bindings and whatever is decided by them are written one after the other, on all replicas: two writes that are
 * harmless one by one may hand out everything together.
 */
const counter = 'access'
/** Others may be faster this often. */
const maxTries = 20

/** For a write that nothing decides: those that are decided meanwhile are decided again. */
export const afterOthers: Guard = { is: 'counted', counter }

/** To be read before everything that decides about a write; as its guard, nothing of that has changed since. */
export async function accessAsRead(store: Store): Promise<Guard> {
  return { is: 'counted', counter, expected: await readAccessCount(store) }
}

/** Counts the writes of roles and bindings. */
export function readAccessCount(store: Store): Promise<number> {
  return readCounter(store, counter)
}

/** Decides and writes again when others have written meanwhile. */
export async function inAccessOrder<Done>(store: Store, work: (order: Guard) => Promise<Done>): Promise<Done> {
  for (let tries = 1; ; tries++) {
    const order = await accessAsRead(store)
    try {
      return await work(order)
    } catch (error) {
      const raced = error instanceof GuardFailed && error.guard.is === 'counted'
      if (!raced || tries === maxTries) throw error
    }
  }
}
