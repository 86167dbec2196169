import { sql, statement, type SqlStatement } from '../sql.ts'
import type { Store } from '../store.ts'

export async function insertSetupSecret(store: Store, digest: string, expiresAt: number): Promise<void> {
  await store[sql](statement('INSERT INTO setup_secrets (digest, expires_at) VALUES ($1, $2)', [digest, expiresAt]))
}

export async function hasSetupSecret(store: Store, digest: string, now: number): Promise<boolean> {
  const text = 'SELECT digest FROM setup_secrets WHERE digest = $1 AND expires_at > $2'
  return (await store[sql](statement(text, [digest, now]))).length > 0
}

/** Deletes expired secrets, and the oldest beyond `most`. */
export async function deleteOldSetupSecrets(store: Store, now: number, most: number): Promise<void> {
  const text = `DELETE FROM setup_secrets WHERE expires_at <= $1
                OR digest NOT IN (SELECT digest FROM setup_secrets ORDER BY expires_at DESC LIMIT $2)`
  await store[sql](statement(text, [now, most]))
}

export function deleteSetupSecrets(): SqlStatement {
  return statement('DELETE FROM setup_secrets')
}
