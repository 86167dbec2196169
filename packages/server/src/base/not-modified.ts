import type { IncomingHttpHeaders } from 'node:http'

/** Whether the reader already has what it asks for. */
export function isNotModified(headers: IncomingHttpHeaders, etag: string): boolean {
  const sent = headers['if-none-match']
  if (sent === undefined) return false
  return sent.trim() === '*' || tagsIn(sent).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** Of a header that names several. */
export function tagsIn(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim())
}
