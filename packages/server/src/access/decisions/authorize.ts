import type { RequestInfo, Rule } from '@pergola/api'
import type { Caller } from '../../base/call.ts'
import type { EffectiveRule } from './compile-rules.ts'
import { callerName, describeRequest } from './describe-request.ts'
import type { HeldRoles } from './role-book.ts'
import { resourceOf } from './rule-matches.ts'

/** Where authorization learns what a caller holds. */
export interface RoleSource {
  rolesOf(caller: Caller): HeldRoles | Promise<HeldRoles>
}

type Decision =
  /** Until then, unless roles change before. */
  | { readonly allowed: true; readonly by: EffectiveRule; readonly until: number | undefined }
  /** The reason is in words for the caller; they are made when they are asked for. */
  | { readonly allowed: false; readonly reason: () => string }

export type Authorize = (caller: Caller, request: RequestInfo) => Promise<Decision>

export function createAuthorize(source: RoleSource): Authorize {
  return async (caller, request) => decide(await source.rolesOf(caller), caller, request)
}

/** Default deny: a request is allowed by a rule that matches it, or not at all. */
export function decide(held: HeldRoles, caller: Caller, request: RequestInfo): Decision {
  const by = held.find(request)
  if (by) return { allowed: true, by, until: held.until }
  return { allowed: false, reason: () => denial(held, caller, request) }
}

function denial({ roles }: HeldRoles, caller: Caller, request: RequestInfo): string {
  const names = roles.map(({ name }) => name).join(', ') || 'no role'
  const denied = `${callerName(caller)} may not ${describeRequest(request)}`
  if (caller.kind !== 'plugin') return `${denied}; holds ${names}`
  return `${denied}; to ask an operator for it, add to "permissions" of the plugin ${JSON.stringify(ruleFor(request))}`
}

/** The least that would allow it. */
function ruleFor(request: RequestInfo): Rule {
  const verbs = [request.verb]
  if (request.kind === 'non-resource') return { nonResourceURLs: [request.path], verbs }
  const { group, name } = request
  const resourceNames = name === undefined ? {} : { resourceNames: [name] }
  return { apiGroups: [group], resources: [resourceOf(request)], ...resourceNames, verbs }
}
