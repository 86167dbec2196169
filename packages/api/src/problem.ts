/**
 * All reasons for which a request can fail, with HTTP status and title. Clients branch on `reason`; this table is the only
 * source of status and title.
 */
export const problems = {
  BadRequest: { status: 400, title: 'The request cannot be understood' },
  InvalidSelector: { status: 400, title: 'The selector cannot be parsed' },
  FieldNotIndexed: { status: 400, title: 'The field is not indexed' },
  InvalidPage: { status: 400, title: 'The page or size is not valid' },
  TypeMismatch: { status: 400, title: 'The body is of another type than the path' },
  Unauthenticated: { status: 401, title: 'Credentials are missing or not valid' },
  Forbidden: { status: 403, title: 'The caller may not do this' },
  EscalationForbidden: { status: 403, title: 'The caller would hand out more rights than it holds' },
  CrossSite: { status: 403, title: 'The request comes from another site' },
  NotFound: { status: 404, title: 'The object or path does not exist' },
  ModelNotFound: { status: 404, title: 'The model does not exist' },
  MethodNotAllowed: { status: 405, title: 'The path does not take this method' },
  AlreadyExists: { status: 409, title: 'The object exists already' },
  VersionConflict: { status: 409, title: 'The object has changed meanwhile' },
  DuplicateIndexValue: { status: 409, title: 'A unique value is taken' },
  InUse: { status: 409, title: 'The object is in use' },
  Conflict: { status: 409, title: 'The present state does not allow this' },
  FenceLost: { status: 409, title: 'The lease has passed to another holder' },
  RevisionExpired: { status: 410, title: 'The revision is no longer kept' },
  PreconditionFailed: { status: 412, title: 'The precondition does not hold' },
  PayloadTooLarge: { status: 413, title: 'The body is too large' },
  UnsupportedMediaType: { status: 415, title: 'The content type is not supported' },
  Invalid: { status: 422, title: 'The object is not valid' },
  TooManyRequests: { status: 429, title: 'Too many requests' },
  Internal: { status: 500, title: 'The server failed' },
  PluginFailed: { status: 502, title: 'The plugin failed' },
  PluginNotStarted: { status: 503, title: 'The plugin is not started' },
  IndexBuilding: { status: 503, title: 'The index is still being built' },
  Unavailable: { status: 503, title: 'The server cannot answer now' },
  Draining: { status: 503, title: 'The server is stopping' },
  PluginTimeout: { status: 504, title: 'The plugin did not answer in time' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

export type Reason = keyof typeof problems

/** One invalid field in a body or query. */
export interface FieldError {
  /** JSON Pointer into the body as it was sent; empty for the whole body, absent when the fault is not in the body. */
  readonly pointer?: string
  /** The field in dot notation: `rules[0].verbs`; of the query `query.<name>`, of anything else `request`. */
  readonly field: string
  /** The violated rule: `required`, `maxLength`, `unknown`. */
  readonly rule: string
  readonly message: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Tells the same as the detail of a problem, never more. */
export type ProblemParams = Readonly<Record<string, string | number | readonly string[]>>

/** The state in which an object is stored. */
export interface StoredState {
  readonly uid: string
  readonly version: number
}

/** Objects of one model that refer to the object of the request by one field. */
export interface KnownReferrers {
  /** `<plural>.<group>`. */
  readonly resource: string
  readonly path: string
  /** At most 1,000. */
  readonly count: number
  /** At most 20. */
  readonly names: readonly string[]
}

/** Objects that the caller may not list are hidden. */
export type Referrers = KnownReferrers | { readonly hidden: true }

/** Body of every error response: RFC 9457, sent as `application/problem+json`. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly reason: Reason
  readonly requestId: string
  readonly errors?: readonly FieldError[]
  /** The values in `detail`, for a sentence in another language. */
  readonly params?: ProblemParams
  /** With `VersionConflict`: the state of the object that has changed. */
  readonly stored?: StoredState
  /** With `InUse`: the objects that refer to the one to be deleted. */
  readonly referrers?: readonly Referrers[]
}

/** An error that is reported to the caller, with a `reason`. Any other thrown error becomes a 500 without detail. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly reason: Reason
  readonly status: number
  readonly errors: readonly FieldError[] | undefined
  /** The values in the message. */
  readonly params: ProblemParams | undefined
  /** With `VersionConflict`: the state of the object that has changed. */
  readonly stored: StoredState | undefined
  /** With `InUse`: the objects that refer to the one to be deleted. */
  readonly referrers: readonly Referrers[] | undefined
  /** ID of the failed request; set when the error came from a response. */
  readonly requestId: string | undefined
  /** Response headers that go with the reason: `Allow`, `Retry-After`, `WWW-Authenticate`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(reason: Reason, detail: string, options: ApiErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.status = options.status ?? problems[reason].status
    this.requestId = options.requestId
    this.errors = options.errors
    this.params = options.params
    this.stored = options.stored
    this.referrers = options.referrers
    this.headers = options.headers ?? {}
  }
}

export interface ApiErrorOptions {
  readonly errors?: readonly FieldError[]
  /** The values in the detail. */
  readonly params?: ProblemParams
  /** With `VersionConflict`: the state of the object that has changed. */
  readonly stored?: StoredState
  /** With `InUse`: the objects that refer to the one to be deleted. */
  readonly referrers?: readonly Referrers[]
  readonly headers?: Readonly<Record<string, string>>
  /** Status of the response, when it differs from the table: a newer server may know more reasons. */
  readonly status?: number
  readonly requestId?: string
  readonly cause?: unknown
}

/** Checks `reason` rather than the class, because the error may come from another copy of this package or another process. */
export function isApiError(error: unknown): error is ApiError {
  return (
    error instanceof Error &&
    'reason' in error &&
    typeof error.reason === 'string' &&
    Object.hasOwn(problems, error.reason)
  )
}

/** Every 400 and 422 has errors. */
function errorsOf({ reason, status, message, errors }: ApiError): Pick<Problem, 'errors'> {
  if (errors) return { errors }
  const isOfFields = status === 400 || status === 422
  return isOfFields ? { errors: [{ field: 'request', rule: reason, message }] } : {}
}

/** Creates the response body of an error. `instance` and `requestId` identify the request. */
export function toProblem(
  error: ApiError,
  request: { readonly instance: string; readonly requestId: string },
): Problem {
  const { status, title } = problems[error.reason]
  return {
    type: `https://platform.run/problems/${error.reason}`,
    title,
    status,
    detail: error.message,
    instance: request.instance,
    reason: error.reason,
    requestId: request.requestId,
    ...errorsOf(error),
    ...(error.params && { params: error.params }),
    ...(error.stored && { stored: error.stored }),
    ...(error.referrers && { referrers: error.referrers }),
  }
}
