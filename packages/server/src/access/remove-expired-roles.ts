import type { Clock } from '../base/clock.ts'
import { GuardFailed } from '../store/guard-failed.ts'
import { identityUnusedSince, recordUnbound, unusedBoundIdentities } from '../store/records/identities.ts'
import type { Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import type { Model } from '../models/model.ts'
import { afterOthers } from './access-order.ts'
import { removeManagedRoles } from './managed-roles.ts'

/** Identities per run; the next run is a minute later. */
const maxIdentities = 1_000

export interface RemoveExpiredParts {
  readonly store: Store
  readonly clock: Clock
  readonly bindings: Model
  readonly maxAgeMs: number
}

/** Removes the role bindings of an issuer from users who have not signed in with that issuer for `maxAgeMs`. */
export async function removeExpiredRoles({ store, clock, bindings, maxAgeMs }: RemoveExpiredParts): Promise<void> {
  const since = clock.now() - maxAgeMs
  for (const { issuer, subject, uid, name } of await unusedBoundIdentities(store, since, maxIdentities)) {
    const operations = await removeManagedRoles({ store, bindings }, { issuer, user: { uid, name } })
    try {
      await store.write(operations, {
        guards: [afterOthers, identityUnusedSince({ issuer, subject }, since)],
        also: [recordUnbound({ issuer, subject }, since)],
      })
    } catch (error) {
      // The user has just signed in, or another replica was faster. The next run finds the rest.
      if (!(error instanceof GuardFailed) && !(error instanceof WriteConflict)) throw error
    }
  }
}
