import { ApiError, type ProblemParams, type Rule } from '@pergola/api'
import type { HeldRoles, RoleBook } from './decisions/role-book.ts'
import { createRulesCover, type RulesCover } from './decisions/rules-cover.ts'
import type { Caller } from '../call/call.ts'
import { superAdministrator } from './administrators.ts'
import type { StoredRights } from './rights.ts'

/** Whether the caller may grant more than it holds: a super administrator, unless the request comes through a plugin. */
export function mayHandOutAnything({ roles, within }: HeldRoles): boolean {
  return within === undefined && roles.some(({ name }) => name === superAdministrator)
}

/** Throws unless the caller holds every right that the rules grant. */
export function assertCovers(caller: HeldRoles, rules: readonly Rule[], what: string): void {
  const holds = holderOf(caller)
  const missing = rules.find((rule) => !holds.covers(rule))
  if (missing) throw escalation(holds, missing, what)
}

/** Disabling, enabling, deleting or taking over a user requires all rights of that user. */
export async function assertPowerOver(rights: StoredRights, caller: Caller, user: string): Promise<void> {
  const held = await rights.readCaller(caller)
  if (mayHandOutAnything(held)) return
  assertCovers(held, rulesOf(await rights.readBound(user)), `power over user "${user}"`)
}

export function rulesOf({ book, roles }: HeldRoles): readonly Rule[] {
  return effective(book, ...roles.map(({ name }) => name))
}

/** A change of roles: all roles before and after, and the names of the roles it may affect. */
export interface RoleChange {
  readonly before: RoleBook
  readonly after: RoleBook
  readonly concerned: readonly string[]
}

/**
 * Throws unless the caller holds every right that the change adds to any role, by rules, dependencies or aggregation. Checks
 * only roles that are newly reached.
 */
export function assertCoversAdded(caller: HeldRoles, { before, after, concerned }: RoleChange, what: string): void {
  const holds = holderOf(caller)
  const isHeld = new Map<Rule, boolean>()
  for (const name of concerned) {
    const known = new Set(before.reach([name]).map(({ definition }) => definition))
    const gained = after.reach([name]).filter(({ definition }) => !known.has(definition))
    const unheld: Rule[] = []
    for (const { rule } of gained.flatMap(({ definition }) => after.rulesOf(definition))) {
      const covered = isHeld.get(rule) ?? holds.covers(rule)
      isHeld.set(rule, covered)
      if (!covered) unheld.push(rule)
    }
    if (unheld.length === 0) continue
    const had = createRulesCover(effective(before, name), after)
    const missing = unheld.find((rule) => !had.covers(rule))
    if (missing) throw escalation(holds.isExhausted ? holds : had, missing, what)
  }
}

/** The caller's rules; for a request through a plugin, a right must be held by both. */
function holderOf({ within, ...caller }: HeldRoles): RulesCover {
  const own = createRulesCover(rulesOf(caller), caller.book)
  if (!within) return own
  const others = createRulesCover(rulesOf(within), caller.book)
  return {
    covers: (rule) => own.covers(rule) && others.covers(rule),
    get comparisons() {
      return own.comparisons + others.comparisons
    },
    get isExhausted() {
      return own.isExhausted || others.isExhausted
    },
  }
}

function effective(book: RoleBook, ...names: readonly string[]): readonly Rule[] {
  return book.effectiveRules(names).map(({ rule }) => rule)
}

function escalation({ isExhausted }: RulesCover, missing: Rule, what: string): ApiError {
  const detail = isExhausted
    ? `${what} names too many rights to compare with yours at once; hand them out in smaller parts`
    : `${what} hands out more than you hold: ${inWords(missing)}`
  return new ApiError('EscalationForbidden', detail, { params: { what, ...(!isExhausted && ruleParams(missing)) } })
}

/** The values in `inWords`. */
function ruleParams(rule: Rule): ProblemParams {
  const { verbs } = rule
  if ('nonResourceURLs' in rule) return { verbs, paths: rule.nonResourceURLs }
  const { apiGroups: groups, resources, resourceNames: names = [] } = rule
  return { verbs, resources, groups, ...(names.length > 0 && { names }) }
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
