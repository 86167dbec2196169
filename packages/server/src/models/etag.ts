import { ApiError } from '@pergola/api'
import { tagsIn } from '../base/not-modified.ts'
import type { StoredObject } from '../store/store.ts'

/** Which state of which object this is: another object of the same name has another uid. */
export function etagOf({ uid, version }: Pick<StoredObject, 'uid' | 'version'>): string {
  return `"${uid}.${version}"`
}

/** Throws unless the object is in a state that `If-Match` names. Weak tags never match, as RFC 9110 has it. */
export function assertMatches(sent: string | undefined, stored: StoredObject, what: string): void {
  if (sent === undefined || sent.trim() === '*' || tagsIn(sent).includes(etagOf(stored))) return
  throw new ApiError(
    'PreconditionFailed',
    `${what} is ${etagOf(stored)}, If-Match asks for ${sent}; read it again and retry`,
  )
}
