import { ApiError, isNamedCreate, requestInfo } from '@pergola/api'
import { unauthenticated, type Authenticate } from './authn/authenticate.ts'
import { refuseCrossSite } from './authn/same-site.ts'
import type { Authorize } from './authz/authorize.ts'
import type { Answer, IncomingRequest } from './base/call.ts'
import { methodNotAllowed, objectMethods, type Dispatch } from './dispatch/dispatch.ts'

export interface Stages {
  /** The address that people use. */
  readonly publicUrl: () => string
  readonly authenticate: Authenticate
  readonly authorize: Authorize
  readonly dispatch: Dispatch
}

export type Pipeline = (request: IncomingRequest) => Promise<Answer>

/** The way of every request, top to bottom. Nobody further down asks again who calls or whether it may. */
export function createPipeline({ publicUrl, authenticate, authorize, dispatch }: Stages): Pipeline {
  return async (request) => {
    const info = requestInfo(request)
    request.note({ verb: info.verb })
    if (isNamedCreate(info)) throw methodNotAllowed('creating takes the collection, without a name', objectMethods)

    const caller = await authenticate(request.headers)
    if (caller.kind === 'user') request.note({ user: caller.name })
    refuseCrossSite({ info, caller, headers: request.headers }, publicUrl())

    const decision = await authorize(caller, info)
    if (!decision.allowed) {
      if (caller.kind === 'anonymous') throw unauthenticated(`${decision.reason()}; sign in with a bearer token`)
      throw new ApiError('Forbidden', decision.reason())
    }

    return dispatch({ info, caller, request })
  }
}
