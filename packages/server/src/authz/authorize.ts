import type { RequestInfo, Rule } from '@pergola/api'
import type { Caller } from '../base/call.ts'
import { ruleMatches } from './rule-matches.ts'

/** Where authorization learns what a caller holds. */
export interface RoleSource {
  rolesOf(caller: Caller): readonly HeldRole[]
}

export interface HeldRole {
  readonly name: string
  readonly rules: readonly Rule[]
}

interface Decision {
  readonly allowed: boolean
  /** The role that allowed it, or what was missing in words for the caller. */
  readonly reason: string
}

export type Authorize = (caller: Caller, request: RequestInfo) => Decision

/** Default deny: a request is allowed by the first rule that matches it, or not at all. */
export function createAuthorize(source: RoleSource): Authorize {
  return (caller, request) => {
    const roles = source.rolesOf(caller)
    const role = roles.find(({ rules }) => rules.some((rule) => ruleMatches(rule, request)))
    if (role) return { allowed: true, reason: role.name }
    const held = roles.map(({ name }) => name).join(', ')
    return { allowed: false, reason: `${nameOf(caller)} may not ${describe(request)}; holds ${held}` }
  }
}

function describe(request: RequestInfo): string {
  if (request.kind === 'non-resource') return `${request.verb} ${request.path}`
  const resource = request.subresource === undefined ? request.resource : `${request.resource}/${request.subresource}`
  const named = request.name === undefined ? resource : `${resource} "${request.name}"`
  return `${request.verb} ${named} in ${request.group === '' ? 'the core group' : request.group}`
}

function nameOf(caller: Caller): string {
  return caller.kind === 'anonymous' ? 'anonymous' : caller.name
}
