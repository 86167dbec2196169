import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, toProblem } from '@pergola/api'
import { CallerGone } from './custom-apis.ts'
import { errorText } from './error-text.ts'
import { visibleError } from './own-error.ts'
import { sendJson } from './send-response.ts'

interface Failed {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly log: (text: string) => void
}

/** Logs errors of the plugin's code, and those of its own requests that callers do not see; returns the request ID. */
export function logFailure(error: unknown, { request, log }: Pick<Failed, 'request' | 'log'>): string {
  const requestId = [request.headers['pergola-request-id']].flat()[0] ?? randomUUID()
  if (visibleError(error) === undefined && !isOfLeaving(error)) {
    log(`${request.method} ${pathOf(request)} failed (request ${requestId}): ${errorText(error)}`)
  }
  return requestId
}

/** Sends the caller's errors to the caller; logs the plugin's own. */
export function tellFailure(error: unknown, { request, response, log }: Failed): void {
  const requestId = logFailure(error, { request, log })
  const path = pathOf(request)
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const known =
    visibleError(error) ?? new ApiError('Internal', 'the plugin failed; its log has the details under this request id')
  const problem = toProblem(known, { instance: path, requestId })
  for (const name of response.getHeaderNames()) if (name !== 'connection') response.removeHeader(name)
  sendJson(response, problem, {
    status: problem.status,
    contentType: 'application/problem+json',
    headers: known.headers,
  })
}

/** The caller disconnected; there is nothing to report. */
function isOfLeaving(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error instanceof CallerGone || ('code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')
}

export function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1).join('')
}
