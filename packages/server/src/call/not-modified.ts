import type { IncomingHttpHeaders } from 'node:http'

/** Whether the client's copy is current. */
export function isNotModified(headers: IncomingHttpHeaders, etag: string): boolean {
  const sent = headers['if-none-match']
  return sent !== undefined && namesState(sent, etag)
}

/** Whether `If-None-Match` names this state, by a strong or a weak tag. */
export function namesState(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** The tags of a header that may list several. */
export function tagsIn(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim())
}
