import { ApiError, isApiError, type FieldError } from '@pergola/api'
import { shortened } from '../base/shortened.ts'
import { movedTo } from '../call/field-error.ts'

/** Number of errors in the message; the list has all of them. */
const told = 3

/** For bodies that are not objects of a model. */
export function refuseBody(what: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidBody(what, errors)
}

/** For example `the todo is not valid: spec.title is required; and 3 more`. */
export function invalidBody(what: string, errors: readonly FieldError[]): ApiError {
  const first = errors.slice(0, told).map(({ field, message }) => `${shortened(field) || 'it'} ${message}`)
  const more = errors.length > told ? [`and ${errors.length - told} more`] : []
  return new ApiError('Invalid', `${what} is not valid: ${[...first, ...more].join('; ')}`, { errors })
}

/** Maps locations in an object to those in the body that it is made from: `{ '/spec/expiresAt': '/expiresAt' }`. */
type SentPlaces = Readonly<Record<string, string>>

/** Reports errors of an object made from a body of another form at the locations in that body. */
export async function withErrorsAsSent<Done>(
  what: string,
  places: SentPlaces,
  work: () => Promise<Done>,
): Promise<Done> {
  try {
    return await work()
  } catch (error) {
    if (!isApiError(error) || error.reason !== 'Invalid' || !error.errors) throw error
    throw invalidBody(
      what,
      error.errors.map((one) => atSentPlace(one, places)),
    )
  }
}

function atSentPlace(error: FieldError, places: SentPlaces): FieldError {
  const { pointer: given = '' } = error
  const place = Object.keys(places).find((one) => given === one || given.startsWith(`${one}/`))
  if (place === undefined) return error
  const pointer = `${places[place]}${given.slice(place.length)}`
  return movedTo(pointer, error)
}
