import { ApiError, isApiError, problems } from '@pergola/api'

/** Marks errors of the plugin's own client. Shared by all copies of this package in a bundle. */
const own = Symbol.for('pergola.ownError')

/** Marks an error of a request that the plugin made with its own rights. */
export function markOwn(error: unknown): void {
  if (isApiError(error)) Object.defineProperty(error, own, { value: true, configurable: true })
}

/** Takes the mark away: callers then get the error as it is. */
export function unmark(error: unknown): void {
  if (isApiError(error)) Reflect.deleteProperty(error, own)
}

/**
 * What a caller may see of an error; undefined for an error of the plugin. What the host answered to the plugin names rights and
 * fields of the plugin, so callers get only what they can act on: that something is missing, has changed, or must wait.
 */
export function visibleError(error: unknown): ApiError | undefined {
  if (!isApiError(error)) return undefined
  if (!(own in error)) return error
  const { reason, status, headers } = error
  if (reason === 'NotFound') return new ApiError(reason, 'an object that this needs does not exist')
  if (status === 409) return new ApiError(reason, `${problems[reason].title.toLowerCase()}; try again`)
  if (status !== 429 && status !== 503 && status !== 504) return undefined
  const wait = headers['retry-after']
  return new ApiError('Unavailable', 'a required service is not available; try again', {
    ...(wait !== undefined && { headers: { 'retry-after': wait } }),
  })
}
