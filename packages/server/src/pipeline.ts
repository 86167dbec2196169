import { ApiError, isNamedCreate, requestInfo, type RequestInfo } from '@pergola/api'
import { signInFirst } from './host-api/sign-in/sign-in-first.ts'
import { auditedProxy } from './audit/audited-proxy.ts'
import type { AuditedRequest, AuditRequest } from './audit/request-audit.ts'
import { unauthenticated, type Authenticate, type CredentialHeaders } from './authn/authenticate.ts'
import { refuseCrossSite } from './authn/same-site.ts'
import type { Authorize } from './access/decisions/authorize.ts'
import type { Answer, Caller, IncomingRequest } from './call/call.ts'
import { methodNotAllowed } from './call/method-not-allowed.ts'
import type { Origins } from './base/origins.ts'
import { releasedProxy } from './call/released-proxy.ts'
import type { Reply } from './call/reply.ts'
import { objectMethods, type Dispatch } from './dispatch/dispatch.ts'
import type { FindHostHandler } from './dispatch/host-routes.ts'
import { problemAnswer, toApiError } from './call/problem-answer.ts'
import { measured, type MeasureRequest } from './http/request-metrics.ts'
import { describeTrace, traced, tracedRequest } from './base/tracing.ts'
import type { StreamLimits } from './models/query/stream-limits.ts'

export interface Stages {
  /** Answered before everything else. */
  readonly early: (request: IncomingRequest) => Promise<Answer> | undefined
  readonly audit: AuditRequest
  /** Absent when metrics are not exported. */
  readonly measure?: MeasureRequest | undefined
  /** The public URL. */
  readonly publicUrl: () => string
  /** Another address of our own pages, on a development host. */
  readonly alsoOwn?: () => string
  readonly listedOrigins: Origins
  /** Finds the host's endpoints; throws with the methods allowed at their paths. */
  readonly hostHandler: FindHostHandler
  readonly authenticate: Authenticate
  readonly authorize: Authorize
  /** Requests that are not answered yet, except for watches, which have limits of their own. */
  readonly inFlight: StreamLimits
  readonly dispatch: Dispatch
}

export type Pipeline = (request: IncomingRequest) => Promise<Reply>

/** Every outcome of a request is an answer, including failures, and is audited before the caller receives it. */
export function createPipeline(stages: Stages): Pipeline {
  const { early, audit, measure } = stages
  const pass = createLine(stages)
  const serve = async (request: IncomingRequest): Promise<Reply> => {
    const audited = measure ? measured(audit(request), measure) : audit(request)
    try {
      const answer = await pass(audited)
      if (!('proxy' in answer)) audited.answered('status' in answer ? answer : { status: 200 })
      return 'proxy' in answer ? auditedProxy(answer, audited) : answer
    } catch (error) {
      const { reason, headers } = toApiError(error)
      const elsewhere = reason === 'Unauthenticated' ? signInFirst(request, headers['set-cookie']) : undefined
      const answer = elsewhere ?? problemAnswer(error, { target: request.target, requestId: request.id })
      request.note(reason === 'Internal' ? { reason, err: error } : { reason })
      audited.failed(reason, answer.status)
      return answer
    }
  }
  return async (request) => early(request) ?? tracedRequest(request, () => serve(request))
}

function credentialsIn({ headers }: IncomingRequest): CredentialHeaders {
  const { authorization, cookie, 'pergola-caller-token': callerToken } = headers
  return { authorization, cookie, callerToken: callerToken === undefined ? undefined : String(callerToken) }
}

/**
 * The path of every request, top to bottom. It decides once whether the request is allowed. Batches and access reviews call the
 * same `authorize` for what they contain, long-lived answers call it again, and models may add guards of their own.
 */
function createLine(stages: Stages): (audited: AuditedRequest) => Promise<Reply> {
  const { publicUrl, alsoOwn, listedOrigins, hostHandler, authenticate, authorize, inFlight, dispatch } = stages
  /** Returns the rule that allows the request, and when that expires. */
  const permit = async (caller: Caller, info: RequestInfo) => {
    const decision = await traced('decide', {}, () => authorize(caller, info))
    if (decision.allowed) return decision
    if (caller.kind === 'anonymous') throw unauthenticated(`${decision.reason()}; sign in with a bearer token`)
    throw new ApiError('Forbidden', decision.reason(), { params: decision.params() })
  }
  return async (audited) => {
    const { request } = audited
    const info = requestInfo(request)
    audited.classified(info)
    request.note({ verb: info.verb })
    describeTrace(info)
    if (isNamedCreate(info)) {
      hostHandler({ info, request })
      throw methodNotAllowed('send POST to the path of the collection, without a name', objectMethods)
    }

    const credentials = credentialsIn(request)
    const authenticateAgain = () => authenticate(credentials)
    const authenticated = await authenticateAgain()
    audited.identified(authenticated)
    if (authenticated.kind !== 'anonymous') request.note({ user: authenticated.name })
    refuseCrossSite(
      { info, caller: authenticated, headers: request.headers },
      { publicUrl: publicUrl(), alsoOwn: alsoOwn?.(), listedOrigins },
    )

    const release = info.verb === 'watch' ? undefined : inFlight.take(authenticated, request.address)
    try {
      const { by, until } = await permit(authenticated, info)
      audited.allowed(by.reached.definition.name)
      const caller = lasting(authenticated, until)
      const recheck = async () => {
        const again = await authenticateAgain()
        return lasting(again, (await permit(again, info)).until)
      }
      const reply = await dispatch({ info, caller, request, authenticate: authenticateAgain, recheck })
      if ('proxy' in reply && release) return releasedProxy(reply, release)
      release?.()
      return reply
    } catch (error) {
      release?.()
      throw error
    }
  }
}

/** Makes long-lived answers check again when the decision expires. */
function lasting(caller: Caller, until: number | undefined): Caller {
  if (caller.kind !== 'user' || until === undefined) return caller
  return { ...caller, expiresAt: Math.min(caller.expiresAt ?? until, until) }
}
