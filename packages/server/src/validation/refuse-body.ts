import { ApiError, type FieldError } from '@pergola/api'

/** For bodies that are no objects of a model. */
export function refuseBody(what: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return
  const first = errors.map(({ field, message }) => `${field || 'the body'} ${message}`).slice(0, 3)
  throw new ApiError('Invalid', `${what} is not valid: ${first.join('; ')}`, { errors })
}
