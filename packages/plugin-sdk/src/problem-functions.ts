import { ApiError, type FieldError } from '@pergola/api'

/** A place in the object or body, as people write it, and what is wrong there. */
export interface FieldFault {
  /** `spec.due`, `spec.tags[2]`. */
  readonly field: string
  readonly message: string
}

/** 422: the object or body breaks a rule that its schema cannot say. Several at once are told at once. */
export function invalid(field: string, message: string): never
export function invalid(faults: readonly FieldFault[]): never
export function invalid(field: string | readonly FieldFault[], message = ''): never {
  const faults = typeof field === 'string' ? [{ field, message }] : field
  const detail = faults.map((fault) => `${fault.field} ${fault.message}`).join('; ')
  throw new ApiError('Invalid', detail, { errors: faults.map(errorOf) })
}

/** 404, in words: `notFound('share')` says that there is no such share. */
export function notFound(what: string): never {
  throw new ApiError('NotFound', `there is no such ${what}`)
}

/** 400: what was sent cannot be understood. */
export function badRequest(message: string): never {
  throw new ApiError('BadRequest', message)
}

/** 401: the caller has to sign in first. */
export function unauthenticated(message: string): never {
  throw new ApiError('Unauthenticated', message)
}

/** 403: the caller may not do this. */
export function forbidden(message: string): never {
  throw new ApiError('Forbidden', message)
}

/** 409: it exists already. */
export function alreadyExists(message: string): never {
  throw new ApiError('AlreadyExists', message)
}

/** 409: something else needs it as it is. */
export function inUse(message: string): never {
  throw new ApiError('InUse', message)
}

/** 412: it is no longer as the caller has seen it. */
export function preconditionFailed(message: string): never {
  throw new ApiError('PreconditionFailed', message)
}

/** 429: later, after so many seconds. */
export function tooManyRequests(message: string, retryAfterSeconds: number): never {
  throw new ApiError('TooManyRequests', message, { headers: retryAfter(retryAfterSeconds) })
}

/** 503: something that is needed does not answer; later, after so many seconds. */
export function unavailable(message: string, retryAfterSeconds = 1): never {
  throw new ApiError('Unavailable', message, { headers: retryAfter(retryAfterSeconds) })
}

/** In a controller: trying again is of no use before the object changes. */
export function giveUp(message: string): never {
  throw new GiveUp(message)
}

/** What `giveUp` throws: a failure that trying again would not mend. */
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
