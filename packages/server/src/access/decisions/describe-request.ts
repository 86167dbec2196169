import type { ProblemParams, RequestInfo } from '@pergola/api'
import type { Caller } from '../../call/call.ts'
import { resourceOf } from './rule-matches.ts'

/** The request in words that follow "may" or "may not": `get todos "milk" in todo.example.com`. */
export function describeRequest(request: RequestInfo): string {
  if (request.kind === 'non-resource') return `${request.verb} ${request.path}`
  const resource = resourceOf(request)
  const named = request.name === undefined ? resource : `${resource} "${request.name}"`
  return `${request.verb} ${named} in ${describeGroup(request.group)}`
}

/** The values in `describeRequest`. */
export function requestParams(request: RequestInfo): ProblemParams {
  const { verb } = request
  if (request.kind === 'non-resource') return { verb, path: request.path }
  const { group, name } = request
  return { verb, resource: resourceOf(request), group, ...(name !== undefined && { name }) }
}

export function describeGroup(group: string): string {
  return group === '' ? 'the core group' : group
}

export function callerName(caller: Caller): string {
  return caller.kind === 'anonymous' ? 'anonymous' : caller.name
}
