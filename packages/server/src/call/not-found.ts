import { ApiError } from '@pergola/api'

/** No object of this kind has this name. */
export function objectNotFound(kind: string, name: string, cause?: unknown): ApiError {
  return new ApiError('NotFound', `there is no ${kind} "${name}"`, { cause, params: { kind, name } })
}

/** No route has this path. */
export function pathNotFound(path: string): ApiError {
  return new ApiError('NotFound', `there is nothing at ${path}`, { params: { path } })
}
