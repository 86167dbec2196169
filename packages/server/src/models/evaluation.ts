import type { FieldError } from '@pergola/api'

/** What the plugin that declares a model is asked about an object. */
export interface EvaluationRequest {
  readonly object: Readonly<Record<string, unknown>>
  /** Indexes whose values the plugin computes. */
  readonly indexes: readonly string[]
  /** Present when the plugin also decides whether the object may be written. */
  readonly check?: {
    readonly verb: 'create' | 'update' | 'patch'
    readonly stored?: Readonly<Record<string, unknown>>
    readonly caller?: string
  }
}

export interface Evaluation {
  /** Keyed by index. */
  readonly values: Readonly<Record<string, readonly string[]>>
  /** Why the object may not be written. */
  readonly errors: readonly FieldError[]
}

export type Evaluate = (request: EvaluationRequest) => Promise<Evaluation>
