import { ApiError } from '@pergola/api'
import type { Clock } from '../base/clock.ts'
import { objectNotFound } from '../call/not-found.ts'
import { GuardFailed } from '../store/guard-failed.ts'
import { identityBelongsTo, insertIdentity, type Identity } from '../store/records/identities.ts'
import type { SessionUser } from '../store/records/sessions.ts'
import type { Guard, ModelKey, Store } from '../store/store.ts'

export interface LinkParts {
  readonly store: Store
  readonly users: ModelKey
  readonly clock: Clock
}

interface Link {
  readonly user: SessionUser
  /** Guard on the state from which the link was decided. */
  readonly order?: Guard
  /** Runs every step except storing. */
  readonly dryRun?: boolean
}

/** Links an identity to a user, who can then sign in with it. An identity linked to another user stays with that user. */
export async function linkIdentity(
  { store, users, clock }: LinkParts,
  identity: Identity,
  { user: { uid, name }, order, dryRun = false }: Link,
): Promise<void> {
  try {
    await store.write([], {
      guards: [
        ...(order ? [order] : []),
        { is: 'there', model: users, name, expected: { uid } },
        identityBelongsTo(identity, uid),
      ],
      also: [insertIdentity(identity, { uid, name }, clock.now())],
      dryRun,
    })
  } catch (error) {
    if (!(error instanceof GuardFailed) || error.guard === order) throw error
    if (error.guard.is === 'there') throw objectNotFound('user', name, error)
    const detail = `the identity is linked to another user, or user "${name}" has another identity of ${identity.issuer}; remove that link first`
    throw new ApiError('AlreadyExists', detail, { cause: error, params: { name, issuer: identity.issuer } })
  }
}
