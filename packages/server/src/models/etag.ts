import { ApiError } from '@pergola/api'
import { tagsIn } from '../base/not-modified.ts'
import type { StoredObject } from '../store/store.ts'

/** Identifies one state of one object: another object of the same name has another uid. */
export function etagOf({ uid, version }: Pick<StoredObject, 'uid' | 'version'>): string {
  return `"${uid}.${version}"`
}

/** Throws unless `If-Match` names the state of the object. Weak tags never match (RFC 9110). */
export function assertMatches(sent: string | undefined, stored: StoredObject, what: string): void {
  if (sent === undefined || sent.trim() === '*' || tagsIn(sent).includes(etagOf(stored))) return
  throw new ApiError(
    'PreconditionFailed',
    `${what} is ${etagOf(stored)}, If-Match asks for ${sent}; read it again and retry`,
  )
}
