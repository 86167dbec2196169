import { isApiError, isConnectionError } from '@pergola/client'
import { shallowRef } from 'vue'

export interface Away {
  readonly since: number
  /** The server announced that it stops; otherwise it cannot be reached. */
  readonly isStopping: boolean
}

/** Set while the host does not answer the periodic requests. */
export const away = shallowRef<Away>()

export function noteAnswer(): void {
  away.value = undefined
}

/** Whether the error means that the host is unavailable, not that it rejected the request. */
export function noteFailure(error: unknown): boolean {
  const isStopping = isApiError(error) && error.status === 503
  if (!isStopping && !isConnectionError(error)) return false
  away.value = { since: away.value?.since ?? Date.now(), isStopping }
  return true
}
