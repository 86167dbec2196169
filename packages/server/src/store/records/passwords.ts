import { sql, statement, type SqlStatement } from '../sql.ts'
import type { Guard, Store } from '../store.ts'

export interface PasswordHash {
  readonly uid: string
  readonly hash: string
}

export async function readPasswordHash(store: Store, uid: string): Promise<string | undefined> {
  const [row] = await store[sql](statement('SELECT hash FROM passwords WHERE uid = $1', [uid]))
  return row && String(row['hash'])
}

export function upsertPassword({ uid, hash }: PasswordHash, at: number): SqlStatement {
  return statement(
    `INSERT INTO passwords (uid, hash, changed_at) VALUES ($1, $2, $3)
     ON CONFLICT (uid) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at`,
    [uid, hash, at],
  )
}

/** Does nothing unless `previous` is stored. */
export function updatePassword({ uid, hash }: PasswordHash, at: number, previous: string): SqlStatement {
  const text = 'UPDATE passwords SET hash = $2, changed_at = $3 WHERE uid = $1 AND hash = $4'
  return statement(text, [uid, hash, at, previous])
}

export function lockPassword({ uid, hash }: PasswordHash): SqlStatement {
  return statement('UPDATE passwords SET changed_at = changed_at WHERE uid = $1 AND hash = $2', [uid, hash])
}

export function passwordIs({ uid, hash }: PasswordHash): Guard {
  const text = 'SELECT 1 AS gone WHERE NOT EXISTS (SELECT 1 FROM passwords WHERE uid = $1 AND hash = $2)'
  return { is: 'no row', statement: statement(text, [uid, hash]) }
}

export function deletePassword(uid: string): SqlStatement {
  return statement('DELETE FROM passwords WHERE uid = $1', [uid])
}
