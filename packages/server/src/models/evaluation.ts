import type { FieldError } from '@pergola/api'

/** What whoever declared a model is asked about an object of it. */
export interface EvaluationRequest {
  readonly object: Readonly<Record<string, unknown>>
  /** Indexes whose values it is to say. */
  readonly indexes: readonly string[]
  /** It is asked whether the object may be written, too. */
  readonly check?: {
    readonly verb: 'create' | 'update' | 'patch'
    readonly stored?: Readonly<Record<string, unknown>>
    readonly caller?: string
  }
}

export interface Evaluation {
  /** By index. */
  readonly values: Readonly<Record<string, readonly string[]>>
  /** Why the object may not be written. */
  readonly errors: readonly FieldError[]
}

export type Evaluate = (request: EvaluationRequest) => Promise<Evaluation>
