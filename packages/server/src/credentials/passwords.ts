import type { Clock } from '../base/clock.ts'
import { createTurns } from '../base/turns.ts'
import {
  lockPassword,
  passwordIs,
  readPasswordHash,
  updatePassword,
  upsertPassword,
} from '../store/records/passwords.ts'
import type { Guard, SqlStatement, Store } from '../store/store.ts'
import { hashPassword, isPassword } from './password-hash.ts'
import type { Proof } from './proof.ts'

/** Each hash takes some 50 ms of a core and 19 MiB; more at a time would slow everybody down. */
export const atATime = 4
/** Maximum number of waiting unknown callers; known callers are not limited. */
export const mostWaiting = 100

export interface Passwords {
  /** Part of a write: stores a password, alone or with the user. With `inPlaceOf`, only if that password is still stored. */
  set(uid: string, password: string, inPlaceOf?: CheckedPassword): Promise<NewPassword>
  /** Takes equally long for a user without a password or for no user. Returns a proof when the password is right. */
  check(
    uid: string | undefined,
    password: string,
    options?: { readonly isKnown?: boolean },
  ): Promise<CheckedPassword | undefined>
}

interface CheckedPassword extends Proof {
  readonly hash: string
}

/** A hashed password, not yet stored. */
export interface NewPassword {
  readonly write: SqlStatement
  /** Fails when another password is stored. */
  readonly isStored: Guard
}

export function createPasswords(store: Store, clock: Clock): Passwords {
  const turns = createTurns({ atATime, mostWaiting, what: 'logins' })
  return {
    set: async (uid, password, inPlaceOf) => {
      const stored = { uid, hash: await turns.run(() => hashPassword(password), { hasPriority: true }) }
      const now = clock.now()
      const write = inPlaceOf ? updatePassword(stored, now, inPlaceOf.hash) : upsertPassword(stored, now)
      return { write, isStored: passwordIs(stored) }
    },
    check: async (uid, password, { isKnown = false } = {}) => {
      const hash = await readPasswordHash(store, uid ?? '')
      const isRight = await turns.run(() => isPassword(password, hash), { hasPriority: isKnown })
      if (!isRight || uid === undefined || hash === undefined) return undefined
      return { hash, lock: lockPassword({ uid, hash }), holds: passwordIs({ uid, hash }) }
    },
  }
}
