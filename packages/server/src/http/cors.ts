import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../call/call.ts'
import type { Origins } from '../base/origins.ts'

/** Seconds for which a browser may cache a preflight answer. */
const maxAge = 600
const allowed = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID',
  'access-control-max-age': String(maxAge),
}
const exposed = 'ETag, Location, Retry-After, Pergola-Request-Id, Pergola-Replica'

/** CORS rules for pages of other sites. Never with cookies: no answer allows credentials. */
export interface Cors {
  /** The answer to a preflight request; undefined for other requests and for origins that are not listed. */
  preflight(method: string, headers: IncomingHttpHeaders): Answer | undefined
  /** Headers for every answer. */
  headersFor(headers: IncomingHttpHeaders): Readonly<Record<string, string>>
}

export function createCors(listed: Origins): Cors {
  const off = {}
  // Also for origins that are not listed and for non-browser clients: a cache must not return the answer of one to another.
  const closed = { vary: 'Origin' }
  return {
    preflight: (method, { origin, 'access-control-request-method': asked }) => {
      if (method !== 'OPTIONS' || asked === undefined || origin === undefined || !listed.has(origin)) return undefined
      return { status: 204, contentType: 'text/plain; charset=utf-8', headers: allowed, body: Buffer.alloc(0) }
    },
    headersFor: ({ origin }) => {
      if (listed.size === 0) return off
      if (origin === undefined || !listed.has(origin)) return closed
      return { ...closed, 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed }
    },
  }
}
