import type { Clock } from '../base/clock.ts'
import type { Passwords } from '../credentials/passwords.ts'
import { revoked } from '../credentials/revocations.ts'
import type { Store } from '../store/store.ts'

export interface ReplacePasswordParts {
  readonly store: Store
  readonly clock: Clock
  readonly passwords: Passwords
}

/** By somebody else than its owner, who is signed out on every replica. */
export async function replacePassword(
  { store, clock, passwords }: ReplacePasswordParts,
  { uid, password }: { readonly uid: string; readonly password: string },
): Promise<void> {
  const set = await passwords.set(uid, password)
  const ended = { text: 'DELETE FROM sessions WHERE uid = $1', values: [uid] }
  await store.write([], { also: [set, ended, revoked(clock, uid)] })
}
