import { ApiError } from '@pergola/api'
import type { LogPosition, Revision } from './store.ts'

export interface RevisionParts extends LogPosition {
  /** Committed changes that the list already shows but that had no position in the order yet. */
  readonly skipped: readonly string[]
}

export function encodeRevision({ number, tag, skipped }: RevisionParts): Revision {
  return [number, tag, ...skipped].join('.') as Revision
}

export function decodeRevision(revision: Revision): RevisionParts {
  if (!/^\d{1,16}(\.-?\d{1,20}){1,1001}$/.test(revision)) {
    throw new ApiError(
      'BadRequest',
      'the revision is not valid on this server; use a revision of a list or a watch unchanged',
    )
  }
  const [number = '', tag = '', ...skipped] = revision.split('.')
  return { number: Number(number), tag, skipped }
}

export function revisionExpired(): ApiError {
  return new ApiError(
    'RevisionExpired',
    'the revision is no longer kept, or the database was restored; list again and continue from its revision',
  )
}
