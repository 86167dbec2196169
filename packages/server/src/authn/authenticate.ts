import { ApiError } from '@pergola/api'
import type { Caller } from '../call/call.ts'
import { cookieIn } from '../call/cookie.ts'

export interface CredentialHeaders {
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
  /** On the plugins' socket: the caller for whom the plugin acts. */
  readonly callerToken?: string | undefined
}

export type Authenticate = (headers: CredentialHeaders) => Promise<Caller>

/** Finds the owner of a secret. */
interface CredentialSource {
  find(secret: string): Promise<CredentialHolder | undefined>
}

interface CredentialHolder {
  readonly uid: string
  readonly name: string
  readonly tokenName?: string
  readonly sessionId?: string
  readonly narrowedTo?: readonly string[]
  readonly expiresAt?: number
}

export interface AuthenticateParts {
  readonly credentials: CredentialSource
  /** The name of the session cookie. */
  readonly cookieName: string
  /** Makes a browser delete the cookie of an ended session. */
  readonly clearedCookie: string
}

/**
 * Authenticates by a token in the header or a session cookie; without either the caller is anonymous. Invalid credentials are
 * refused, never treated as missing.
 */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  const { credentials, cookieName, clearedCookie } = parts
  return async ({ authorization, cookie }) => {
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
      if (token === undefined) throw unauthenticated('send credentials as "Authorization: Bearer <token>"')
      const holder = await credentials.find(token)
      if (!holder) throw unauthenticated('the bearer token is unknown or has expired')
      return { kind: 'user', ...holder, via: 'token' }
    }
    const secret = cookieIn(cookie, cookieName)
    if (secret === undefined) return { kind: 'anonymous' }
    const holder = await credentials.find(secret)
    if (!holder?.sessionId) {
      throw new ApiError('Unauthenticated', 'the session has expired; sign in again', {
        headers: { 'set-cookie': clearedCookie, 'www-authenticate': challenge },
      })
    }
    return { kind: 'user', ...holder, via: 'cookie' }
  }
}

const challenge = 'Bearer realm="pergola"'

export function unauthenticated(detail: string): ApiError {
  return new ApiError('Unauthenticated', detail, { headers: { 'www-authenticate': challenge } })
}
