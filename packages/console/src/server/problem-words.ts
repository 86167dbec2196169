import { problems } from '@pergola/api'
import { isApiError, isConnectionError } from '@pergola/client'
import { words } from '../words/words.ts'

export interface ProblemWords {
  readonly title: string
  readonly detail: string
  readonly reason?: string | undefined
  /** Details for an administrator. */
  readonly requestId?: string | undefined
}

/** Describes an error for people. */
export function problemWords(error: unknown): ProblemWords {
  if (isApiError(error)) {
    const { reason, requestId, message, params } = error
    const known = words.value.problems[reason]
    const title = known?.title ?? problems[reason].title
    return { title, detail: known?.detail?.(params ?? {}) ?? message, reason, requestId }
  }
  const { problem } = words.value
  if (isConnectionError(error)) return { title: problem.unreachable, detail: problem.unreachableHint }
  return { title: problem.unexpected, detail: error instanceof Error ? error.message : String(error) }
}
