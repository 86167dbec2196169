import { isApiError } from '@pergola/api'
import type { IncomingRequest } from '../../call/call.ts'

/**
 * Adds the provider's error to the request's log line, for the operator. The caller gets only what helps the caller.
 */
export async function providerNoted<T>(request: IncomingRequest, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    const cause = isApiError(error) && error.cause instanceof Error ? error.cause : undefined
    if (cause)
      request.note({
        provider: [cause, cause.cause].flatMap((step) => (step instanceof Error ? step.message : [])).join(': '),
      })
    throw error
  }
}
