import { ApiError, type Rule } from '@pergola/api'
import type { HeldRoles, RoleBook } from '../authz/role-book.ts'
import { uncoveredRules } from '../authz/rules-cover.ts'
import type { Caller } from '../base/call.ts'
import { superAdministrator } from './administrators.ts'
import type { Rights } from './rights.ts'

/** Who may hand out more than it holds. */
export function mayHandOutAnything({ roles }: HeldRoles): boolean {
  return roles.some(({ name }) => name === superAdministrator)
}

/** Throws unless the caller itself holds every right that the rules grant. */
export function assertCovers(caller: HeldRoles, rules: readonly Rule[], what: string): void {
  const [missing] = uncoveredRules(rules, rulesOf(caller), caller.book)
  if (!missing) return
  throw new ApiError('EscalationForbidden', `${what} hands out more than you hold: ${inWords(missing)}`)
}

/** Who ends, brings back or can become somebody must hold all that they hold. */
export async function assertPowerOver(rights: Rights, caller: Caller, user: string): Promise<void> {
  const held = await rights.rolesOf(caller)
  if (mayHandOutAnything(held)) return
  assertCovers(held, rulesOf(await rights.readBound(user)), `power over user "${user}"`)
}

export function rulesOf({ book, roles }: HeldRoles): readonly Rule[] {
  return effective(book, ...roles.map(({ name }) => name))
}

function effective(book: RoleBook, ...names: readonly string[]): readonly Rule[] {
  return book.effectiveRules(names).map(({ rule }) => rule)
}

/** What a change of roles adds to any of them: by its rules, by what it depends on, by where it is aggregated. */
export function addedRules(before: RoleBook, after: RoleBook, names: readonly string[]): readonly Rule[] {
  return names.flatMap((name) => uncoveredRules(effective(after, name), effective(before, name), after))
}

function inWords(rule: Rule): string {
  const verbs = rule.verbs.includes('*') ? 'everything' : rule.verbs.join(', ')
  if ('nonResourceURLs' in rule) return `${verbs} on ${rule.nonResourceURLs.join(', ')}`
  const { apiGroups, resources, resourceNames = [] } = rule
  const names = resourceNames.length === 0 ? '' : ` ${resourceNames.map((name) => `"${name}"`).join(', ')}`
  const groups = apiGroups.map((group) => (group === '' ? 'the core group' : group === '*' ? 'every group' : group))
  const what = resources.includes('*') ? 'every resource' : resources.join(', ')
  return `${verbs} on ${what}${names} in ${groups.join(', ')}`
}
