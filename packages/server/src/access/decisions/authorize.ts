import type { ProblemParams, RequestInfo, ResourceRequest, Rule } from '@pergola/api'
import type { Caller } from '../../call/call.ts'
import type { EffectiveRule } from './compile-rules.ts'
import { callerName, describeRequest, requestParams } from './describe-request.ts'
import { concernsCredential } from './credential-request.ts'
import type { HeldRoles } from './role-book.ts'
import { resourceOf, ruleCovers } from './rule-matches.ts'

/** Provides the roles that a caller holds. */
export interface RoleSource {
  rolesOf(caller: Caller): HeldRoles | Promise<HeldRoles>
}

type Decision =
  /** `until`: when the decision expires, unless roles change earlier. */
  | { readonly allowed: true; readonly by: EffectiveRule; readonly until: number | undefined }
  /** The reason, worded for the caller; computed on demand. */
  | { readonly allowed: false; readonly reason: () => string; readonly params: () => ProblemParams }

export type Authorize = (caller: Caller, request: RequestInfo) => Promise<Decision>

export function createAuthorize(source: RoleSource): Authorize {
  return async (caller, request) => decide(await source.rolesOf(caller), caller, request)
}

/** Default deny: a request is allowed only when a rule matches it. */
export function decide(held: HeldRoles, caller: Caller, request: RequestInfo): Decision {
  const by = held.find(request)
  if (by) return { allowed: true, by, until: held.until }
  return {
    allowed: false,
    reason: () => denial(held, caller, request),
    params: () => denialParams(held, caller, request),
  }
}

/** Whether a caller may send a request for some name. Reads every rule. */
export function createMaySome(source: RoleSource): (caller: Caller, request: ResourceRequest) => Promise<boolean> {
  return async (caller, request) => allowsSome(await source.rolesOf(caller), request)
}

function allowsSome({ book, roles, within }: HeldRoles, request: ResourceRequest): boolean {
  const plugin = book.pluginOf(request.group)
  const isSome = book
    .effectiveRules(roles.map(({ name }) => name))
    .some(({ rule }) => 'resources' in rule && ruleCovers({ ...rule, resourceNames: [] }, request, plugin))
  return isSome && (!within || allowsSome(within, request))
}

function denial({ roles }: HeldRoles, caller: Caller, request: RequestInfo): string {
  const names = roles.map(({ name }) => name).join(', ') || 'no role'
  const denied = `${callerName(caller)} may not ${describeRequest(request)}`
  if (caller.kind !== 'plugin') {
    if (caller.through === undefined) return `${denied}; holds ${names}`
    const through = `by the plugin ${caller.through}, which acts for its caller`
    if (concernsCredential(request))
      return `${denied} ${through}; sessions, tokens, passwords and identities are out of its reach`
    return `${denied} ${through}: both need the right; the caller holds ${names}`
  }
  return `${denied}; to ask an operator for it, add to "permissions" of the plugin ${JSON.stringify(ruleFor(request))}`
}

/** The values in `denial`. */
function denialParams({ roles }: HeldRoles, caller: Caller, request: RequestInfo): ProblemParams {
  const denied = { caller: callerName(caller), ...requestParams(request) }
  if (caller.kind === 'plugin') return denied
  const through = caller.through === undefined ? {} : { through: caller.through }
  if (caller.through !== undefined && concernsCredential(request)) return { ...denied, ...through }
  return { ...denied, ...through, roles: roles.map(({ name }) => name) }
}

/** The narrowest rule that would allow the request. */
function ruleFor(request: RequestInfo): Rule {
  const verbs = [request.verb]
  if (request.kind === 'non-resource') return { nonResourceURLs: [request.path], verbs }
  const { group, name } = request
  const resourceNames = name === undefined ? {} : { resourceNames: [name] }
  return { apiGroups: [group], resources: [resourceOf(request)], ...resourceNames, verbs }
}
