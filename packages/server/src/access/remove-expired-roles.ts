import type { Clock } from '../base/clock.ts'
import type { Identities } from '../credentials/identities.ts'
import { GuardFailed } from '../store/guard-failed.ts'
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
  readonly identities: Identities
  readonly maxAgeMs: number
}

/** Removes the role bindings of an issuer from users who have not signed in with that issuer for `maxAgeMs`. */
export async function removeExpiredRoles({
  store,
  clock,
  bindings,
  identities,
  maxAgeMs,
}: RemoveExpiredParts): Promise<void> {
  const since = clock.now() - maxAgeMs
  for (const { issuer, subject, uid, name } of await identities.boundButUnused(since, maxIdentities)) {
    const operations = await removeManagedRoles({ store, bindings }, { issuer, user: { uid, name } })
    try {
      await store.write(operations, {
        guards: [afterOthers, { is: 'no row', statement: identities.hasSignedInSince({ issuer, subject }, since) }],
        also: [identities.unbound({ issuer, subject }, since)],
      })
    } catch (error) {
      // The user has just signed in, or another replica was faster. The next run finds the rest.
      if (!(error instanceof GuardFailed) && !(error instanceof WriteConflict)) throw error
    }
  }
}
