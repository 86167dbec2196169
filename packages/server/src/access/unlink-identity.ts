import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import type { Identities, LinkedIdentity } from '../credentials/identities.ts'
import { revoked } from '../credentials/revocations.ts'
import type { Model } from '../models/model.ts'
import type { Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import { afterOthers } from './access-order.ts'
import { removeManagedRoles } from './managed-roles.ts'

const maxTries = 20

export interface UnlinkParts {
  readonly store: Store
  readonly clock: Clock
  readonly bindings: Model
  readonly identities: Identities
}

interface Unlinking {
  /** Runs every step except storing. */
  readonly dryRun?: boolean
}

/** Removes a link and everything based on it: the roles that the issuer gave and the user's sessions. */
export async function unlinkIdentity(
  parts: UnlinkParts,
  linked: LinkedIdentity,
  { dryRun = false }: Unlinking = {},
): Promise<void> {
  const { store, clock, bindings, identities } = parts
  const { issuer, uid, name } = linked
  const ended = { text: 'DELETE FROM sessions WHERE uid = $1', values: [uid] }
  let isUnlinked = false
  for (let tries = 1; tries <= maxTries; tries++) {
    const operations = await removeManagedRoles({ store, bindings }, { issuer, user: { uid, name } })
    // Look for bindings once more: a login in flight may have created some.
    if (isUnlinked && operations.length === 0) return
    try {
      await store.write([...operations, revoked(clock, uid)], {
        guards: [afterOthers],
        also: [identities.unlinked(linked), ended],
        dryRun,
      })
      if (dryRun) return
      isUnlinked = true
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
    }
  }
  throw new ApiError('VersionConflict', `the roles that ${issuer} grants to user "${name}" keep changing; retry`)
}
