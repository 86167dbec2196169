import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import { revoked } from '../credentials/revocations.ts'
import type { Model } from '../models/model.ts'
import { deleteIdentity, type LinkedIdentity } from '../store/records/identities.ts'
import { deleteSessions } from '../store/records/sessions.ts'
import type { Store } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import { afterOthers } from './access-order.ts'
import { removeManagedRoles } from './managed-roles.ts'

const maxTries = 20

export interface UnlinkParts {
  readonly store: Store
  readonly clock: Clock
  readonly bindings: Model
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
  const { store, clock, bindings } = parts
  const { issuer, uid, name } = linked
  let isUnlinked = false
  for (let tries = 1; tries <= maxTries; tries++) {
    const operations = await removeManagedRoles({ store, bindings }, { issuer, user: { uid, name } })
    // Look for bindings once more: a login in flight may have created some.
    if (isUnlinked && operations.length === 0) return
    try {
      await store.write([...operations, revoked(clock, uid)], {
        guards: [afterOthers],
        also: [deleteIdentity(linked), deleteSessions(uid)],
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
