import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '@pergola/api'
import { namesState, tagsIn } from '../../call/not-modified.ts'
import type { StoredObject } from '../../store/store.ts'

/** Identifies one state of one object: another object of the same name has another uid. */
export function etagOf({ uid, version }: Pick<StoredObject, 'uid' | 'version'>): string {
  return `"${uid}.${version}"`
}

/** The conditions of a write's headers on the stored object. */
export interface Preconditions {
  /** Tags from `If-Match`: the object must be in a state that one of them names. */
  readonly ifMatch?: string | undefined
  /** Tags from `If-None-Match`: the object must be in none of these states; with `*` it must not exist. */
  readonly ifNoneMatch?: string | undefined
}

export function preconditionsIn(headers: IncomingHttpHeaders): Preconditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] }
}

/** Throws unless the object is in a state that the headers allow. Weak tags never match `If-Match` (RFC 9110). */
export function assertMatches({ ifMatch, ifNoneMatch }: Preconditions, stored: StoredObject, what: string): void {
  const etag = etagOf(stored)
  if (ifMatch !== undefined && ifMatch.trim() !== '*' && !tagsIn(ifMatch).includes(etag)) {
    throw new ApiError(
      'PreconditionFailed',
      `${what} is ${etag}, If-Match asks for ${ifMatch}; read it again and retry`,
    )
  }
  if (ifNoneMatch !== undefined && namesState(ifNoneMatch, etag)) {
    throw new ApiError(
      'PreconditionFailed',
      `${what} exists and is ${etag}, If-None-Match excludes ${ifNoneMatch}; use If-Match to change a known state, POST to create an object`,
    )
  }
}
