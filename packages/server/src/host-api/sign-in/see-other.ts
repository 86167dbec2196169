import type { Answer } from '../../call/call.ts'

/** Redirects a browser, without caching and without a referrer. */
export function seeOther(location: string, cookies: readonly string[]): Answer {
  const headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  return { status: 303, contentType: 'text/plain', headers, cookies, body: Buffer.alloc(0) }
}
