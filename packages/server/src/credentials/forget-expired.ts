import type { Clock } from '../base/clock.ts'
import { deleteOldKnownLogins } from '../store/records/known-logins.ts'
import { deleteOldAttempts } from '../store/records/login-attempts.ts'
import { deleteExpiredOidcLogins } from '../store/records/oidc-logins.ts'
import { deleteExpiredSessions } from '../store/records/sessions.ts'
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
  await deleteExpiredSessions(store, now)
  await deleteExpiredOidcLogins(store, now)
  await forgetRevocations(store, old)
  await deleteOldAttempts(store, old)
  await deleteOldKnownLogins(store, now - knownLoginMs)
}
