import { ApiError, type FieldError } from '@pergola/api'
import { unmark } from './run/own-error.ts'

/** An invalid field of the object or body, and what is wrong with it. */
export interface FieldFault {
  /** Path in dot notation: `spec.due`, `spec.tags[2]`. */
  readonly field: string
  readonly message: string
}

/** Throws 422: the object or body violates a rule that its schema cannot express. Report several faults in one call. */
export function invalid(field: string, message: string): never
export function invalid(faults: readonly FieldFault[]): never
export function invalid(field: string | readonly FieldFault[], message = ''): never {
  const faults = typeof field === 'string' ? [{ field, message }] : field
  const detail = faults.map((fault) => `${fault.field} ${fault.message}`).join('; ')
  throw new ApiError('Invalid', detail, { errors: faults.map(errorOf) })
}

/** Throws 404: `notFound('share')` reports that there is no such share. */
export function notFound(what: string): never {
  throw new ApiError('NotFound', `there is no such ${what}`)
}

/** Throws 400: the request cannot be understood. */
export function badRequest(message: string): never {
  throw new ApiError('BadRequest', message)
}

/** Throws 401: the caller must sign in. */
export function unauthenticated(message: string): never {
  throw new ApiError('Unauthenticated', message)
}

/** Throws 403: the caller lacks the right. */
export function forbidden(message: string): never {
  throw new ApiError('Forbidden', message)
}

/** Throws 409: the object already exists. */
export function alreadyExists(message: string): never {
  throw new ApiError('AlreadyExists', message)
}

/** Throws 409: the present state does not allow it, such as an event that is sold out. */
export function conflict(message: string): never {
  throw new ApiError('Conflict', message)
}

/** Throws 409: something else depends on the object. */
export function inUse(message: string): never {
  throw new ApiError('InUse', message)
}

/** Throws 412: the object has changed since the caller read it. */
export function preconditionFailed(message: string): never {
  throw new ApiError('PreconditionFailed', message)
}

/** Throws 429 with `Retry-After` in seconds. */
export function tooManyRequests(message: string, retryAfterSeconds: number): never {
  throw new ApiError('TooManyRequests', message, { headers: retryAfter(retryAfterSeconds) })
}

/** Throws 503 with `Retry-After` in seconds: a required service does not respond. */
export function unavailable(message: string, retryAfterSeconds = 1): never {
  throw new ApiError('Unavailable', message, { headers: retryAfter(retryAfterSeconds) })
}

/**
 * Passes an error of `client` on to the caller of a route, unchanged: `await client(Order).create(spec).catch(passOn)`. Without
 * it, callers learn only that an object is missing or has changed, and get a 500 for anything else.
 */
export function passOn(error: unknown): never {
  unmark(error)
  throw error
}

/** Ends a controller run without retries: the object is not reconciled again before it changes. */
export function giveUp(message: string): never {
  throw new GiveUp(message)
}

/** Thrown by `giveUp`: a failure that a retry cannot fix. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp'
}

function retryAfter(seconds: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(Math.max(0, Math.ceil(seconds))) }
}

function errorOf({ field, message }: FieldFault): FieldError {
  const steps = field.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return { pointer: field === '' ? '' : pointer, field, rule: 'check', message }
}
