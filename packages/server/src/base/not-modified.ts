import type { IncomingHttpHeaders } from 'node:http'

/** Whether the client already has the current state. */
export function isNotModified(headers: IncomingHttpHeaders, etag: string): boolean {
  const sent = headers['if-none-match']
  if (sent === undefined) return false
  return sent.trim() === '*' || tagsIn(sent).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** The tags of a header that may list several. */
export function tagsIn(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim())
}
