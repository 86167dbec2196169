import type { PluginDefinition } from '../plugin-definition.ts'
import { schemaReferences } from '../references.ts'
import { needsBeyondDefaults } from '../plugin-limits.ts'
import { roleKeys } from '../role-keys.ts'
import type { RoleDeclaration } from '../plugin-definition.ts'
import { dependenciesOf, gainOf, rolesOf, targetsOf, type PackageContents } from './package-contents.ts'
import type { PlanItem, PlanSectionCode } from './plan.ts'
import { limitWords } from './plan-words.ts'
import { reachedBy, rightItem } from './reach-items.ts'
import { rightWords } from './right-words.ts'
import { addedRights, isOwn, rightsOf, type Right } from './rights.ts'

/** An item that has to be approved, in its section. */
export interface RequiredApproval {
  readonly section: PlanSectionCode
  readonly item: PlanItem & { readonly approval: string }
}

/**
 * Approvals that an operator must give by name before the host installs a package: rights of the plugin itself, code in the
 * console, rules outside its own groups, foreign roles that its templates aggregate to or depend on, and everything that
 * becomes public. For an upgrade, only those that are new.
 */
export function requiredApprovals(after: PackageContents, before?: PackageContents): readonly RequiredApproval[] {
  const earlier = before ? namedConsents(before).map(({ item }) => item.approval) : []
  const madePublic = publicRights(after, before)
  // Each right that becomes public is approved by its own name, which is all that an aggregation into anonymous consists of.
  const isCovered = (name: string) => madePublic.length > 0 && name.endsWith(' into anonymous')
  return [
    ...newPermissions(after, before),
    ...namedConsents(after).filter(({ item }) => !earlier.includes(item.approval) && !isCovered(item.approval)),
    ...foreignRules(after, before),
    ...madePublic,
  ]
}

/** The names of `requiredApprovals`. */
export function approvalsFor(after: PackageContents, before?: PackageContents): readonly string[] {
  return requiredApprovals(after, before).map(({ item }) => item.approval)
}

export function permissionsOf({ definition }: PackageContents): readonly Right[] {
  return rightsOf(definition.permissions, definition)
}

/** The values that name a role, for items about its rights. */
export function roleValues({ metadata: { name, annotations } }: RoleDeclaration): {
  readonly role: string
  readonly displayName?: string
} {
  const displayName = annotations[roleKeys.displayName]
  return { role: name, ...(displayName !== undefined && { displayName }) }
}

/** The same item about a right of this role. */
export function heldBy(role: RoleDeclaration, item: PlanItem): PlanItem {
  return { ...item, values: { ...roleValues(role), ...item.values } } as PlanItem
}

/** The section in which people look for a role that becomes part of another one. */
export function sectionOfTarget(target: string): PlanSectionCode {
  if (target === 'anonymous') return 'public'
  return target === 'authenticated' ? 'signed-in' : 'roles'
}

export function joinsItem(role: RoleDeclaration, target: string): PlanItem {
  const risk = target === 'authenticated' ? 'everybody' : 'decision'
  return { code: 'joins-role', values: { ...roleValues(role), target }, risk }
}

function required(section: PlanSectionCode, item: PlanItem, approval: string): RequiredApproval {
  return { section, item: { risk: 'decision', ...item, approval } }
}

function newPermissions(after: PackageContents, before: PackageContents | undefined): readonly RequiredApproval[] {
  return newRights(permissionsOf(after), before ? permissionsOf(before) : []).map((right) =>
    required('requests', rightItem(right, after.definition), rightWords(right, '')),
  )
}

/** Rights that the package newly grants to anonymous callers. */
function publicRights(after: PackageContents, before: PackageContents | undefined): readonly RequiredApproval[] {
  const { definition } = after
  const now = gainOf('anonymous', after)
  const earlier = before && gainOf('anonymous', before)
  const rights = newRights(
    rightsOf(now.rules, definition),
    rightsOf(earlier?.rules ?? [], before?.definition ?? definition),
  )
  const roles = now.foreignRoles.filter((name) => !earlier?.foreignRoles.includes(name))
  return [
    ...reachedBy(rights, definition),
    ...roles.map((other) => ({
      item: { code: 'includes-role' as const, values: { other } },
      name: `what ${other} may`,
    })),
  ].map(({ item, name }) => required('public', item, `public: ${name}`))
}

/** New rules in the package's role templates for groups that the plugin does not own. */
function foreignRules(after: PackageContents, before: PackageContents | undefined): readonly RequiredApproval[] {
  return rolesOf(after).flatMap((role) => {
    const { name } = role.metadata
    const earlier = before ? rolesOf(before).find(({ metadata }) => metadata.name === name) : undefined
    const known = before && earlier ? rightsOf(earlier.rules, before.definition) : []
    return newRights(foreignRights(role, after.definition), known).map((right) =>
      required('roles', heldBy(role, rightItem(right, after.definition)), `${name}: ${rightWords(right, '')}`),
    )
  })
}

function foreignRights({ rules }: RoleDeclaration, definition: PluginDefinition): readonly Right[] {
  return rightsOf(rules, definition).filter((right) => !isOwn(right, definition))
}

function newRights(after: readonly Right[], before: readonly Right[]): readonly Right[] {
  return before.length === 0 ? after : addedRights(before, after)
}

/** What the plugin needs beyond what every plugin may use. */
export function limitNeeds({ definition }: PackageContents): readonly RequiredApproval[] {
  return needsBeyondDefaults(definition.needs).map((values) =>
    required('requests', { code: 'limit', values }, limitWords(values)),
  )
}

/** References to objects of others, once for each of their models. */
export function foreignReferences({ definition }: PackageContents): readonly RequiredApproval[] {
  const found = definition.models.flatMap(({ plural: model, versions: [version] }) =>
    (version ? schemaReferences(version.schema) : [])
      .filter(({ target }) => !definition.groups.includes(target.group))
      .map(({ path, target: { group, plural: resource } }) => {
        const name = group === '' ? resource : `${resource}.${group}`
        const item: PlanItem = { code: 'reference', values: { resource, group, model, path } }
        return required('requests', item, `keep ${name} from being deleted`)
      }),
  )
  return [...new Map(found.map((one) => [one.item.approval, one])).values()]
}

/**
 * Approvals that are either required or not, without rights to compare: console code, limits, references, aggregation into and dependencies on
 * foreign roles.
 */
function namedConsents(contents: PackageContents): readonly RequiredApproval[] {
  const roles = rolesOf(contents)
  const own = new Set(roles.map(({ metadata }) => metadata.name))
  return [
    ...(contents.hasConsoleCode ? [required('requests', { code: 'console-code', values: {} }, 'console-code')] : []),
    ...limitNeeds(contents),
    ...foreignReferences(contents),
    ...roles.flatMap((role) => [
      ...targetsOf(role)
        .filter((target) => !own.has(target))
        .map((target) =>
          required(sectionOfTarget(target), joinsItem(role, target), `${role.metadata.name} into ${target}`),
        ),
      ...dependenciesOf(role)
        .filter((other) => !own.has(other))
        .map((other) =>
          required(
            'roles',
            heldBy(role, { code: 'includes-role', values: { other } }),
            `${role.metadata.name} with ${other}`,
          ),
        ),
    ]),
  ]
}
