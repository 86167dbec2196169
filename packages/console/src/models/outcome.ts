import type { ApiObject } from '@pergola/client'
import type { Failure } from './each-object.ts'

/** The result of an action on several objects that failed for some of them. */
export interface Outcome {
  /** Title of the action. */
  readonly action: string
  readonly all: number
  readonly done: number
  readonly failures: readonly Failure<ApiObject>[]
  /** Runs the action on the failed objects. */
  readonly again: () => void
}
