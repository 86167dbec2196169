import { hash, randomBytes } from 'node:crypto'

/** A secret that only its holder knows: 256 random bits after a prefix that tells its kind. */
export function newSecret(prefix: SecretPrefix): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** Prefixes of a personal access token, a session, a setup secret and an OIDC login's browser secret. */
export type SecretPrefix = 'pgl_' | 'pgs_' | 'pgi_' | 'pgo_'

/** The stored form of a secret. Secrets are random, so a plain digest cannot be reversed. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
