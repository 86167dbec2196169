import { ApiError } from '@pergola/api'
import type { IncomingHttpHeaders } from 'node:http'
import type { StoredObject } from '../store/store.ts'

/** Which state of which object this is: another object of the same name has another uid. */
export function etagOf({ uid, version }: Pick<StoredObject, 'uid' | 'version'>): string {
  return `"${uid}.${version}"`
}

/** Whether the reader already has what it asks for. */
export function isNotModified(headers: IncomingHttpHeaders, etag: string): boolean {
  const sent = headers['if-none-match']
  if (sent === undefined) return false
  return sent.trim() === '*' || tagsOf(sent).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** Throws unless the object is in a state that `If-Match` names. Weak tags never match, as RFC 9110 has it. */
export function assertMatches(headers: IncomingHttpHeaders, stored: StoredObject, what: string): void {
  const sent = headers['if-match']
  if (sent === undefined || sent.trim() === '*' || tagsOf(sent).includes(etagOf(stored))) return
  throw new ApiError(
    'PreconditionFailed',
    `${what} is ${etagOf(stored)}, If-Match asks for ${sent}; read it again and retry`,
  )
}

function tagsOf(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim())
}
