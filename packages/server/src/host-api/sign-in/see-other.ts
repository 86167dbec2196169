import type { Answer } from '../../base/call.ts'

/** Sends a browser on; what it came with stays between it and us. */
export function seeOther(location: string, cookies: readonly string[]): Answer {
  const headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  return { status: 303, contentType: 'text/plain', headers, cookies, body: Buffer.alloc(0) }
}
