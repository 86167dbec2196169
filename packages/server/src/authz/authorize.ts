import type { RequestInfo } from '@pergola/api'
import type { Caller } from '../base/call.ts'
import type { EffectiveRule } from './compile-rules.ts'
import { callerName, describeRequest } from './describe-request.ts'
import type { HeldRoles } from './role-book.ts'

/** Where authorization learns what a caller holds. */
export interface RoleSource {
  rolesOf(caller: Caller): HeldRoles | Promise<HeldRoles>
}

type Decision =
  | { readonly allowed: true; readonly by: EffectiveRule }
  /** The reason is in words for the caller; they are made when they are asked for. */
  | { readonly allowed: false; readonly reason: () => string }

export type Authorize = (caller: Caller, request: RequestInfo) => Promise<Decision>

export function createAuthorize(source: RoleSource): Authorize {
  return async (caller, request) => decide(await source.rolesOf(caller), caller, request)
}

/** Default deny: a request is allowed by a rule that matches it, or not at all. */
export function decide(held: HeldRoles, caller: Caller, request: RequestInfo): Decision {
  const by = held.find(request)
  if (by) return { allowed: true, by }
  return { allowed: false, reason: () => denial(held, caller, request) }
}

function denial({ roles }: HeldRoles, caller: Caller, request: RequestInfo): string {
  const names = roles.map(({ name }) => name).join(', ') || 'no role'
  return `${callerName(caller)} may not ${describeRequest(request)}; holds ${names}`
}
