import { problems } from '@pergola/api'
import { isApiError, isConnectionError } from '@pergola/client'
import { words } from '../words/words.ts'

export interface ProblemWords {
  readonly title: string
  readonly detail: string
  /** For whoever looks after the server. */
  readonly requestId?: string | undefined
}

/** Whatever failed, in words for people. */
export function problemWords(error: unknown): ProblemWords {
  if (isApiError(error)) {
    return { title: problems[error.reason].title, detail: error.message, requestId: error.requestId }
  }
  const { problem } = words.value
  if (isConnectionError(error)) return { title: problem.unreachable, detail: problem.unreachableHint }
  return { title: problem.unexpected, detail: error instanceof Error ? error.message : String(error) }
}
