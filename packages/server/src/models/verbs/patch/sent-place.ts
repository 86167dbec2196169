import { ApiError, isApiError, type FieldError } from '@pergola/api'
import { isJsonObject } from '../../../base/json-object.ts'

/** Reports errors of a patched object at the operations of the JSON Patch. */
export async function withErrorsInPatch<Done>(patch: unknown, work: () => Promise<Done>): Promise<Done> {
  try {
    return await work()
  } catch (error) {
    if (!isApiError(error) || !error.errors) throw error
    const { reason, message, stored, headers, cause, params } = error
    const errors = errorsInPatch(patch, error.errors)
    throw new ApiError(reason, message, {
      cause,
      errors,
      headers,
      ...(params && { params }),
      ...(stored && { stored }),
    })
  }
}

/** Errors of the patch itself, which have the rule `patch`, stay where they are. */
export function errorsInPatch(patch: unknown, errors: readonly FieldError[]): readonly FieldError[] {
  if (!Array.isArray(patch)) return errors
  return errors.map((one) => (one.rule === 'patch' ? one : atOperation(patch, one)))
}

/** `field` keeps its name in the object. Blames the last operation on the location, on a part of it or around it. */
function atOperation(patch: readonly unknown[], error: FieldError): FieldError {
  const { pointer = '' } = error
  for (const [at, operation] of [...patch.entries()].toReversed()) {
    const path = isJsonObject(operation) && operation['op'] !== 'test' ? operation['path'] : undefined
    if (typeof path !== 'string') continue
    const inside = partBelow(path, pointer)
    if (inside === undefined && partBelow(pointer, path) === undefined) continue
    const isGiven = isJsonObject(operation) && 'value' in operation
    return { ...error, pointer: isGiven ? `/${at}/value${inside ?? ''}` : `/${at}/path` }
  }
  return { ...error, pointer: '' }
}

/** The rest of the pointer if it is at or below the location; `-` in the location stands for any item. */
function partBelow(place: string, pointer: string): string | undefined {
  const [steps, given] = [place.split('/'), pointer.split('/')]
  const isBelow = steps.every((part, at) => part === given[at] || (part === '-' && /^\d+$/.test(given[at] ?? '')))
  return isBelow
    ? given
        .slice(steps.length)
        .map((part) => `/${part}`)
        .join('')
    : undefined
}
