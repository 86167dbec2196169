import { ApiError } from '@pergola/api'
import type { WriteOperation } from './store.ts'

export function alreadyExists(operation: WriteOperation, cause: unknown): ApiError {
  const { model, name } = operation
  return new ApiError('AlreadyExists', `${model.plural} "${name}" exists already; choose another name`, { cause })
}
