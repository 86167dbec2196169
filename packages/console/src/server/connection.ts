import { isApiError, isConnectionError } from '@pergola/client'
import { shallowRef } from 'vue'

export interface Away {
  readonly since: number
  /** It said that it stops; otherwise nothing answers. */
  readonly isStopping: boolean
}

/** Set while the host does not answer what the console asks every few seconds. */
export const away = shallowRef<Away>()

export function noteAnswer(): void {
  away.value = undefined
}

/** Whether the error says that the host is away, rather than that it refuses. */
export function noteFailure(error: unknown): boolean {
  const isStopping = isApiError(error) && error.status === 503
  if (!isStopping && !isConnectionError(error)) return false
  away.value = { since: away.value?.since ?? Date.now(), isStopping }
  return true
}
