import type { Clock } from '../base/clock.ts'
import { deleteOldSetupSecrets, hasSetupSecret, insertSetupSecret } from '../store/records/setup-secrets.ts'
import type { Store } from '../store/store.ts'
import { digestOf, newSecret } from './secret.ts'

export const setupSecretMs = 3_600_000

/** Replicas that start together each print one. */
const mostSecrets = 20

/**
 * Makes a secret to create the first administrator, on any replica, within an hour. Secrets of other replicas stay valid; the
 * first use ends all of them.
 */
export async function makeSetupSecret(store: Store, clock: Clock): Promise<string> {
  const secret = newSecret('pgi_')
  await deleteOldSetupSecrets(store, clock.now(), mostSecrets - 1)
  await insertSetupSecret(store, digestOf(secret), clock.now() + setupSecretMs)
  return secret
}

export function isSetupSecret(store: Store, clock: Clock, secret: string): Promise<boolean> {
  return hasSetupSecret(store, digestOf(secret), clock.now())
}
