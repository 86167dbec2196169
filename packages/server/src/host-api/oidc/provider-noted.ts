import { isApiError } from '@pergola/api'
import type { IncomingRequest } from '../../base/call.ts'

/** The log line of a request tells the operator what the provider did; the answer tells no more than helps the caller. */
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
