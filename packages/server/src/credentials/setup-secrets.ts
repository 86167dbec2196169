import type { Clock } from '../base/clock.ts'
import type { SqlStatement, Store } from '../store/store.ts'
import { digestOf, newSecret } from './secret.ts'

export const setupSecretMs = 3_600_000

/** Replicas that start together each print one. */
const mostSecrets = 20

export interface SetupSecrets {
  /**
   * A secret to create the first administrator, on any replica, within an hour. Secrets of other replicas stay valid; the first
   * use ends all of them.
   */
  make(): Promise<string>
  isValid(secret: string): Promise<boolean>
}

export function createSetupSecrets(store: Store, clock: Clock): SetupSecrets {
  return {
    make: async () => {
      const secret = newSecret('pgi_')
      await store.sql({
        text: `DELETE FROM setup_secrets WHERE expires_at <= $1
               OR digest NOT IN (SELECT digest FROM setup_secrets ORDER BY expires_at DESC LIMIT $2)`,
        values: [clock.now(), mostSecrets - 1],
      })
      await store.sql({
        text: 'INSERT INTO setup_secrets (digest, expires_at) VALUES ($1, $2)',
        values: [digestOf(secret), clock.now() + setupSecretMs],
      })
      return secret
    },
    isValid: async (secret) => {
      const text = 'SELECT digest FROM setup_secrets WHERE digest = $1 AND expires_at > $2'
      return (await store.sql({ text, values: [digestOf(secret), clock.now()] })).length > 0
    },
  }
}

/** Part of the write that creates the first administrator. */
export const endSetupSecrets: SqlStatement = { text: 'DELETE FROM setup_secrets', values: [] }
