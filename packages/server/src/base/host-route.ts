import type { JsonSchema, Reason } from '@pergola/api'
import type { Answer, Call } from './call.ts'

/**
 * One endpoint of the host itself. Dispatch, `Allow` and the OpenAPI documents all read it, so that what is served and what is
 * documented cannot differ.
 */
export interface HostRoute {
  /** Unique in its document: `signIn`. */
  readonly id: string
  /** A `GET` also answers `HEAD`. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/auth/sessions/{id}`: a parameter is a whole segment. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** Whether callers without credentials may use it. */
  readonly isPublic?: boolean
  /** Of the parameters in the path, by their names. */
  readonly pathParameters?: Readonly<Record<string, string>>
  readonly query?: readonly QueryParameter[]
  readonly body?: RequestBody
  readonly answers: readonly HostAnswer[]
  /** Beside those that any request may meet. */
  readonly failures?: readonly Reason[]
  readonly handle: (call: Call, parameters: PathParameters) => Promise<Answer>
}

/** Values of the parameters in a path, decoded. */
type PathParameters = Readonly<Record<string, string>>

export interface QueryParameter {
  readonly name: string
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface RequestBody {
  readonly types: readonly string[]
  /** Absent for bodies that are not JSON. */
  readonly schema?: JsonSchema
}

export interface HostAnswer {
  readonly status: number
  readonly description: string
  /** `application/json` unless it is said. */
  readonly type?: string
  /** Absent for an answer without a body. */
  readonly schema?: JsonSchema
}
