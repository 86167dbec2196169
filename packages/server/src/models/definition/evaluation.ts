import { isApiError, type FieldError } from '@pergola/api'

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

/** The cause when the plugin's own function threw, or returned what is no value. A caller only learns that the plugin failed. */
export class FunctionFault extends Error {}

export function isFunctionFault(error: unknown): boolean {
  return isApiError(error) && error.cause instanceof FunctionFault
}

/** Why an evaluation failed, for operators. */
export function evaluationFault(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof FunctionFault ? cause.message : message
}

export type Evaluate = (request: EvaluationRequest) => Promise<Evaluation>
