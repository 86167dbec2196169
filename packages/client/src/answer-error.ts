import { ApiError, problems, type Problem, type Reason } from '@pergola/api'

interface Answered {
  readonly status: number
  readonly headers?: Headers
}

/** Creates an error from a problem response. A response from a proxy or a newer server gets the nearest known reason. */
export function errorOf(body: unknown, { status, headers }: Answered): ApiError {
  const problem = isObject(body) ? (body as Partial<Problem>) : {}
  const requestId = problem.requestId ?? headers?.get('pergola-request-id') ?? undefined
  const isKnown = typeof problem.reason === 'string' && Object.hasOwn(problems, problem.reason)
  const detail =
    problem.detail ?? `the response has status ${status} and is not from Pergola; check for a proxy in between`
  return new ApiError(isKnown ? problem.reason : nearestReason(status), detail, {
    status,
    headers: kept(headers),
    ...(requestId !== undefined && { requestId }),
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.params && { params: problem.params }),
    ...(problem.stored && { stored: problem.stored }),
    ...(problem.referrers && { referrers: problem.referrers }),
  })
}

/** The only reason with this status, or otherwise one that no caller handles specially. */
function nearestReason(status: number): Reason {
  const reasons = (Object.keys(problems) as Reason[]).filter((reason) => problems[reason].status === status)
  const [only] = reasons
  if (status === 403) return 'Forbidden'
  if (status === 404) return 'NotFound'
  if (status > 500) return 'Unavailable'
  return only !== undefined && reasons.length === 1 ? only : 'BadRequest'
}

function kept(headers: Headers | undefined): Record<string, string> {
  const names = ['allow', 'retry-after', 'www-authenticate']
  const found = names.map((name) => [name, headers?.get(name) ?? undefined] as const)
  return Object.fromEntries(found.filter((pair): pair is readonly [string, string] => pair[1] !== undefined))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
