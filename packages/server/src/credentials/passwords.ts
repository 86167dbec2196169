import type { Clock } from '../base/clock.ts'
import type { SqlStatement, Store } from '../store/store.ts'
import { hashPassword, isPassword } from './password-hash.ts'

/** Shorter ones are guessed; longer ones only keep the machine busy. */
export const passwordLengths = { least: 8, most: 256 }

export interface Passwords {
  /** To be written, alone or with the user. */
  set(uid: string, password: string): Promise<SqlStatement>
  /** Takes as long for a user without a password, or for no user at all. */
  check(uid: string | undefined, password: string): Promise<boolean>
}

export function createPasswords(store: Store, clock: Clock): Passwords {
  return {
    set: async (uid, password) => ({
      text: `INSERT INTO passwords (uid, hash, changed_at) VALUES ($1, $2, $3)
             ON CONFLICT (uid) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at`,
      values: [uid, await hashPassword(password), clock.now()],
    }),
    check: async (uid, password) => {
      const [row] = await store.sql({ text: 'SELECT hash FROM passwords WHERE uid = $1', values: [uid ?? ''] })
      return isPassword(password, row ? String(row['hash']) : undefined)
    },
  }
}
