import type { SessionUser } from '../store/records/sessions.ts'
import type { Model } from '../models/model.ts'
import { canSignIn } from './user-spec.ts'
import type { Guard, Store } from '../store/store.ts'

export interface FoundUser extends SessionUser {
  /** Fails when the user has changed since it was found. */
  readonly guard: Guard
}

/** Finds a user who may sign in. */
export async function findUser(store: Store, users: Model, name: string): Promise<FoundUser | undefined> {
  const user = await store.get(users, name)
  if (!user || !canSignIn(user)) return undefined
  const { uid, version } = user
  return { uid, name, guard: { is: 'there', model: users, name, expected: { uid, version } } }
}
