import { ApiError } from '@pergola/api'
import type { Caller } from '../base/call.ts'
import { cookieIn } from '../base/cookie.ts'

export interface CredentialHeaders {
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
  /** At the door of plugins: in whose name. */
  readonly callerToken?: string | undefined
}

export type Authenticate = (headers: CredentialHeaders) => Promise<Caller>

/** Who shows a secret, as far as anybody knows it. */
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
  /** Where a browser keeps its session. */
  readonly cookieName: string
  /** Makes a browser forget a session that is over. */
  readonly clearedCookie: string
}

/**
 * A token in the header, or a session in a cookie; without either a caller is anonymous. Credentials that do not hold are
 * refused, never taken for none.
 */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  const { credentials, cookieName, clearedCookie } = parts
  return async ({ authorization, cookie }) => {
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
      if (token === undefined) throw unauthenticated('send credentials as "Authorization: Bearer <token>"')
      const holder = await credentials.find(token)
      if (!holder) throw unauthenticated('the bearer token is not known here, or has expired')
      return { kind: 'user', ...holder, via: 'token' }
    }
    const secret = cookieIn(cookie, cookieName)
    if (secret === undefined) return { kind: 'anonymous' }
    const holder = await credentials.find(secret)
    if (!holder?.sessionId) {
      throw new ApiError('Unauthenticated', 'the session is over; sign in again', {
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
