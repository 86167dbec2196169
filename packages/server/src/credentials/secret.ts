import { hash, randomBytes } from 'node:crypto'

/** What a caller shows, and nobody else ever sees: 256 random bits behind a prefix that says what it is. */
export function newSecret(prefix: SecretPrefix): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** Of a personal access token, of a session, of the first setup, of a browser on its way to a provider. */
export type SecretPrefix = 'pgl_' | 'pgs_' | 'pgi_' | 'pgo_'

/** What is stored of a secret. It is random, so that a plain digest cannot be turned back. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
