import { dependenciesOf, gainOf, rolesOf, targetsOf, type PackageContents } from './package-contents.ts'
import { reachWords } from './reach-words.ts'
import { rightWords } from './right-words.ts'
import { addedRights, isOwn, rightsOf, type Right } from './rights.ts'

/**
 * Approvals that an operator must give by name before the host installs a package: rights of the plugin itself, code in the
 * console, rules outside its own groups, foreign roles that its templates aggregate to or depend on, and everything that
 * becomes public. For an upgrade, only those that are new.
 */
export function approvalsFor(after: PackageContents, before?: PackageContents): readonly string[] {
  const earlier = before ? namedConsents(before) : []
  const madePublic = publicRights(after, before)
  // Each right that becomes public is approved by its own name, which is all that an aggregation into anonymous consists of.
  const isCovered = (name: string) => madePublic.length > 0 && name.endsWith(' into anonymous')
  return [
    ...newRights(permissionsOf(after), before ? permissionsOf(before) : []).map((right) => rightWords(right, '')),
    ...namedConsents(after).filter((name) => !earlier.includes(name) && !isCovered(name)),
    ...foreignRules(after, before),
    ...madePublic,
  ]
}

export function permissionsOf({ definition }: PackageContents): readonly Right[] {
  return rightsOf(definition.permissions, definition)
}

/** Rights that the package newly grants to anonymous callers. */
function publicRights(after: PackageContents, before: PackageContents | undefined): readonly string[] {
  const { definition } = after
  const now = gainOf('anonymous', after)
  const earlier = before && gainOf('anonymous', before)
  const rights = newRights(
    rightsOf(now.rules, definition),
    rightsOf(earlier?.rules ?? [], before?.definition ?? definition),
  )
  const roles = now.foreignRoles.filter((name) => !earlier?.foreignRoles.includes(name))
  return [...reachWords(rights, definition), ...roles.map((name) => `what ${name} may`)].map(
    (what) => `public: ${what}`,
  )
}

/** New rules in the package's role templates for groups that the plugin does not own. */
function foreignRules(after: PackageContents, before: PackageContents | undefined): readonly string[] {
  return rolesOf(after).flatMap(({ metadata: { name }, rules }) => {
    const earlier = before ? rolesOf(before).find(({ metadata }) => metadata.name === name) : undefined
    const known = before && earlier ? rightsOf(earlier.rules, before.definition) : []
    const foreign = rightsOf(rules, after.definition).filter((right) => !isOwn(right, after.definition))
    return newRights(foreign, known).map((right) => `${name}: ${rightWords(right, '')}`)
  })
}

function newRights(after: readonly Right[], before: readonly Right[]): readonly Right[] {
  return before.length === 0 ? after : addedRights(before, after)
}

/**
 * Approvals that are either required or not, without rights to compare: console code, aggregation into and dependencies on
 * foreign roles.
 */
function namedConsents(contents: PackageContents): readonly string[] {
  const roles = rolesOf(contents)
  const own = new Set(roles.map(({ metadata }) => metadata.name))
  return [
    ...(contents.hasConsoleCode ? ['console-code'] : []),
    ...roles.flatMap((role) => [
      ...targetsOf(role)
        .filter((target) => !own.has(target))
        .map((target) => `${role.metadata.name} into ${target}`),
      ...dependenciesOf(role)
        .filter((other) => !own.has(other))
        .map((other) => `${role.metadata.name} with ${other}`),
    ]),
  ]
}
