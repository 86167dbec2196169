import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../base/call.ts'
import type { Origins } from '../base/origins.ts'

/** How long a browser need not ask again, in seconds. */
const maxAge = 600
const allowed = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID',
  'access-control-max-age': String(maxAge),
}
const exposed = 'ETag, Location, Retry-After, Pergola-Request-Id'

/** What pages of other sites may do here. Never with cookies: nothing here ever says that credentials are allowed. */
export interface Cors {
  /** The answer to a browser that asks before it sends; undefined for whatever is no such question, or not let in. */
  preflight(method: string, headers: IncomingHttpHeaders): Answer | undefined
  /** For every answer. */
  headersFor(headers: IncomingHttpHeaders): Readonly<Record<string, string>>
}

export function createCors(listed: Origins): Cors {
  const off = {}
  // Also to those who are not let in, and to those who are no page: a cache must not hand the one's answer to the other.
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
