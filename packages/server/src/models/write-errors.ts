import { ApiError } from '@pergola/api'
import { WriteConflict } from '../store/write-conflict.ts'
import type { Model } from './model.ts'

/** The one place where a conflict in the store gets the words and the reason that clients see. Others pass unchanged. */
export function toApiError(error: unknown, model: Model): unknown {
  if (!(error instanceof WriteConflict)) return error
  const { kind, operation, duplicate } = error
  const what = `${model.singular} "${operation.name}"`
  switch (kind) {
    case 'exists':
      return new ApiError('AlreadyExists', `${what} exists already; choose another name`, { cause: error })
    case 'duplicate':
      return new ApiError(
        'DuplicateIndexValue',
        `${what}: the value "${duplicate?.value}" of ${duplicate?.index} is taken`,
        {
          cause: error,
        },
      )
    case 'missing':
      return new ApiError('NotFound', `there is no ${what}`, { cause: error })
    case 'version':
    case 'uid':
      return new ApiError('VersionConflict', `${what} has changed meanwhile; read it again and retry`, { cause: error })
  }
}
