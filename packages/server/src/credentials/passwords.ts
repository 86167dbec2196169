import type { Clock } from '../base/clock.ts'
import type { SqlStatement, Store } from '../store/store.ts'
import { createHashTurns } from './hash-turns.ts'
import { hashPassword, isPassword } from './password-hash.ts'
import type { Proof } from './proof.ts'

export interface Passwords {
  /** The statement that stores a password, alone or with the user. With `inPlaceOf`, only if that password is still stored. */
  set(uid: string, password: string, inPlaceOf?: CheckedPassword): Promise<NewPasswordHash>
  /** Takes equally long for a user without a password or for no user. Returns a proof when the password is right. */
  check(
    uid: string | undefined,
    password: string,
    options?: { readonly isKnown?: boolean },
  ): Promise<CheckedPassword | undefined>
}

export interface CheckedPassword extends Proof {
  readonly hash: string
}

interface NewPasswordHash extends SqlStatement {
  /** Returns a row when another password is stored. */
  readonly isGone: SqlStatement
}

export function createPasswords(store: Store, clock: Clock): Passwords {
  const turns = createHashTurns()
  return {
    set: async (uid, password, inPlaceOf) => {
      const hash = await turns.run(() => hashPassword(password), { isKnown: true })
      const { isGone } = proofBy(uid, hash)
      const values = [uid, hash, clock.now()]
      if (inPlaceOf) {
        const text = 'UPDATE passwords SET hash = $2, changed_at = $3 WHERE uid = $1 AND hash = $4'
        return { text, values: [...values, inPlaceOf.hash], isGone }
      }
      const text = `INSERT INTO passwords (uid, hash, changed_at) VALUES ($1, $2, $3)
                    ON CONFLICT (uid) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at`
      return { text, values, isGone }
    },
    check: async (uid, password, options) => {
      const [row] = await store.sql({ text: 'SELECT hash FROM passwords WHERE uid = $1', values: [uid ?? ''] })
      const hash = row && String(row['hash'])
      const isRight = await turns.run(() => isPassword(password, hash), options)
      return isRight && uid !== undefined && hash !== undefined ? proofBy(uid, hash) : undefined
    },
  }
}

/** Proof that the hash is still the stored one. */
function proofBy(uid: string, hash: string): CheckedPassword {
  const values = [uid, hash]
  return {
    hash,
    hold: { text: 'UPDATE passwords SET changed_at = changed_at WHERE uid = $1 AND hash = $2', values },
    isGone: {
      text: 'SELECT 1 AS gone WHERE NOT EXISTS (SELECT 1 FROM passwords WHERE uid = $1 AND hash = $2)',
      values,
    },
  }
}
