import type { JsonSchema, Reason } from '@pergola/api'
import type { Answer, Call } from './call.ts'

/**
 * One endpoint of the host itself. Dispatch, `Allow` and the OpenAPI documents all read it, so that served and documented
 * endpoints cannot differ.
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
  /** Descriptions of the path parameters, by name. */
  readonly pathParameters?: Readonly<Record<string, string>>
  /** Others are refused. */
  readonly query?: readonly QueryParameter[]
  /** Accepts other query parameters too: those of a provider cannot be listed. */
  readonly hasOpenQuery?: boolean
  readonly body?: RequestBody
  readonly answers: readonly HostAnswer[]
  /** In addition to those that any request may get. */
  readonly failures?: readonly Reason[]
  /** Checks `Pergola-Fence` in its writes; other endpoints refuse the header. */
  readonly isFenced?: boolean
  readonly handle: (call: Call, parameters: PathParameters) => Promise<Answer>
}

/** Decoded values of the path parameters. */
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
  /** `application/json` by default. */
  readonly type?: string
  /** Absent for an answer without a body. */
  readonly schema?: JsonSchema
}
