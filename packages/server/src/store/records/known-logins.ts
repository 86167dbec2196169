import { sql, statement } from '../sql.ts'
import type { Store } from '../store.ts'

/** An account that has signed in from a network. */
interface KnownLogin {
  readonly account: string
  readonly network: string
}

export async function isKnownLogin(store: Store, { account, network }: KnownLogin, since: number): Promise<boolean> {
  const text = 'SELECT last_at FROM known_logins WHERE account = $1 AND network = $2 AND last_at > $3'
  return (await store[sql](statement(text, [account, network, since]))).length > 0
}

export async function upsertKnownLogin(store: Store, { account, network }: KnownLogin, at: number): Promise<void> {
  const text = `INSERT INTO known_logins (account, network, last_at) VALUES ($1, $2, $3)
                ON CONFLICT (account, network) DO UPDATE SET last_at = excluded.last_at`
  await store[sql](statement(text, [account, network, at]))
}

export async function deleteOldKnownLogins(store: Store, before: number): Promise<void> {
  await store[sql](statement('DELETE FROM known_logins WHERE last_at < $1', [before]))
}
