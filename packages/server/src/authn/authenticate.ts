import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@pergola/api'
import type { Caller } from '../base/call.ts'

export type Authenticate = (headers: { readonly authorization?: string | undefined }) => Caller

export const bootstrapAdministrator = 'admin'

/**
 * One administrator, known by one token; without credentials a caller is anonymous.
 * Credentials that do not hold are refused, never taken for none.
 */
export function createAuthenticate(administratorToken: string): Authenticate {
  const expected = digest(administratorToken)
  return ({ authorization }) => {
    if (authorization === undefined) return { kind: 'anonymous' }
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    if (token === undefined) throw unauthenticated('send credentials as "Authorization: Bearer <token>"')
    // Digests have one length, which is what the constant-time comparison needs.
    if (!timingSafeEqual(digest(token), expected)) throw unauthenticated('the bearer token is not known here')
    return { kind: 'user', name: bootstrapAdministrator }
  }
}

export function unauthenticated(detail: string): ApiError {
  return new ApiError('Unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer realm="pergola"' } })
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
