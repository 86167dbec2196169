import { ApiError, isApiError } from '@pergola/api'
import type { StoredObject } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import { etagOf } from './etag.ts'
import type { Model } from './model.ts'

/** The one place where a conflict in the store gets the words and the reason that clients see. Others pass unchanged. */
export function toApiError(error: unknown, model: Model): unknown {
  if (!(error instanceof WriteConflict)) return error
  const { kind, operation, duplicate, stored } = error
  const what = `${model.singular} "${operation.name}"`
  switch (kind) {
    case 'exists':
      return new ApiError('AlreadyExists', `${what} exists already; choose another name`, { cause: error })
    case 'duplicate': {
      const holder = duplicate?.holder === undefined ? '' : ` by "${duplicate.holder}"`
      const taken = `the value ${JSON.stringify(duplicate?.value)} of ${duplicate?.index} is taken`
      return new ApiError('DuplicateIndexValue', `${what}: ${taken}${holder}`, { cause: error })
    }
    case 'missing':
      return new ApiError('NotFound', `there is no ${what}`, { cause: error })
    case 'version':
    case 'uid':
      return stored ? versionConflict(model, stored) : error
  }
}

/** The object that holds the value which somebody else wanted, where the error names it. */
export function holderIn(error: unknown): string | undefined {
  const cause = isApiError(error) ? error.cause : undefined
  return cause instanceof WriteConflict ? cause.duplicate?.holder : undefined
}

/** The same for whoever may not know of the holder. */
export function withoutHolder(error: unknown, model: Model): unknown {
  const cause = isApiError(error) ? error.cause : undefined
  if (!(cause instanceof WriteConflict) || !cause.duplicate) return error
  const { holder: _, ...duplicate } = cause.duplicate
  return toApiError(new WriteConflict(cause.kind, cause.operation, { duplicate }), model)
}

/** With what is stored now, as a tag too, so that a client can go on from it. */
export function versionConflict(model: Model, stored: StoredObject, sent?: unknown): ApiError {
  const what = `${model.singular} "${stored.name}"`
  const carries = typeof sent === 'number' && sent !== stored.version ? `, the update carries ${sent}` : ''
  const detail =
    carries === ''
      ? `${what} has changed meanwhile and is at version ${stored.version}`
      : `${what} is at version ${stored.version}${carries}`
  return new ApiError('VersionConflict', `${detail}; read it again and retry`, { headers: { etag: etagOf(stored) } })
}
