import { createHash } from 'node:crypto'
import type { Answer, Call } from './call.ts'
import type { HostAnswer } from './host-route.ts'
import { isNotModified } from './not-modified.ts'

/** For `If-None-Match`. */
export const notModified: HostAnswer = { status: 304, description: 'The caller already has the current state.' }

/** A document whose ETag is a hash of its content, so that it is sent again only when it has changed. */
export function taggedAnswer({ request }: Call, contentType: string, text: string): Answer {
  const body = Buffer.from(text)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers = { etag, 'cache-control': 'private, no-cache' }
  if (isNotModified(request.headers, etag)) return { status: 304, contentType, headers, body: Buffer.alloc(0) }
  return { status: 200, contentType, headers, body }
}
