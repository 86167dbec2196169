import { ApiError, isApiError, problems, toProblem } from '@pergola/api'
import type { Answer } from './call.ts'

/** The only place that turns an error into a response. Internal errors become a 500 without details. */
export function problemAnswer(
  error: unknown,
  request: { readonly target: string; readonly requestId: string },
): Answer & { readonly body: Buffer } {
  const known = toApiError(error)
  const query = request.target.indexOf('?')
  const instance = query < 0 ? request.target : request.target.slice(0, query)
  return {
    status: problems[known.reason].status,
    contentType: 'application/problem+json',
    headers: known.headers,
    body: Buffer.from(JSON.stringify(toProblem(known, { instance, requestId: request.requestId }))),
  }
}

/** Errors of the HTTP library carry a status below 500 when the request is at fault. */
export function toApiError(error: unknown): ApiError {
  if (isApiError(error)) return error
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status === 415) return new ApiError('UnsupportedMediaType', 'the content type cannot be read', { cause: error })
  if (status >= 400 && status < 500) return new ApiError('BadRequest', 'the request cannot be read', { cause: error })
  return new ApiError('Internal', 'the server failed; its log has the details under this request id', { cause: error })
}
