import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'
import { forgetRevocations } from './revocations.ts'

/** How long the addresses from which an account has signed in are remembered. */
export const knownLoginMs = 30 * 24 * 3_600_000
/** Longer than replicas look back and than failed logins count. */
const keptMs = 3_600_000

/** Deletes expired sessions and OIDC logins, old revocations and old login attempts. */
export async function forgetExpired(store: Store, clock: Clock): Promise<void> {
  const now = clock.now()
  const old = now - keptMs
  await store.sql({ text: 'DELETE FROM sessions WHERE expires_at < $1', values: [now] })
  await store.sql({ text: 'DELETE FROM oidc_logins WHERE expires_at < $1', values: [now] })
  await forgetRevocations(store, old)
  await store.sql({ text: 'DELETE FROM login_attempts WHERE at < $1', values: [old] })
  await store.sql({ text: 'DELETE FROM known_logins WHERE last_at < $1', values: [now - knownLoginMs] })
}
