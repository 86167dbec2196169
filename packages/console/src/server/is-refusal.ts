import { isApiError } from '@pergola/client'

const refusals: ReadonlySet<string> = new Set(['Forbidden', 'Unauthenticated', 'ModelNotFound'])

/** Whether a retry would fail too, until rights or models change. */
export function isRefusal(error: unknown): boolean {
  return isApiError(error) && refusals.has(error.reason)
}
