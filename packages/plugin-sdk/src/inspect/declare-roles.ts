import { keyFault, objectNameFault, roleKeys, uiPermissionFault, type RoleDeclaration, type Rule } from '@pergola/api'
import type { AnyPlugin } from '../plugin.ts'
import type { RoleTemplate } from '../role-template.ts'
import { about, type Report } from './faults.ts'
import { optionFaults } from './option-faults.ts'
import type { Reachable } from './reach-faults.ts'
import { mergeRules, resolveRule, ruleOf } from './rules.ts'

export function roleNameOf(plugin: string, { template, roleName }: RoleTemplate): string {
  return roleName ?? `${plugin}-${template}`
}

/** Holders of the template have these UI permissions. */
export function uiPermissionsOf({ name }: AnyPlugin, { template, uiPermissions }: RoleTemplate): readonly string[] {
  return uiPermissions ?? [`plugin:${name}:${template}`]
}

export interface RoleFrame {
  readonly groups: readonly string[]
  readonly reachable: readonly Reachable[]
}

export function declareRoles(plugin: AnyPlugin, frame: RoleFrame, report: Report): readonly RoleDeclaration[] {
  const { name, roles = [] } = plugin
  const names = roles.map((role) => roleNameOf(name, role))
  return roles.map((role, at) => {
    const roleName = roleNameOf(name, role)
    const where = `roles "${roleName}"`
    optionFaults('role', role, (fault) => report(where, fault))
    report(where, about(roleName, objectNameFault(roleName)))
    if (!roleName.startsWith(`${name}-`)) report(where, `must begin with "${name}-", the name of the plugin`)
    if (names.indexOf(roleName) < at) report(where, 'is declared twice; give each role template a different name')
    return {
      apiVersion: 'v1alpha1',
      kind: 'Role',
      metadata: {
        name: roleName,
        labels: labelsOf(role, (fault) => report(where, fault)),
        annotations: annotationsOf(plugin, role, (fault) => report(where, fault)),
      },
      rules: rulesOf(plugin, role, { ...frame, fault: (message) => report(where, message) }),
    }
  })
}

function labelsOf(
  { hidden, aggregateTo }: RoleTemplate,
  fault: (message: string | undefined) => void,
): Readonly<Record<string, string>> {
  const targets = aggregateTo.map((role) => `${roleKeys.aggregateTo}${role}`)
  for (const [at, role] of aggregateTo.entries()) {
    fault(about(role, objectNameFault(role)) ?? about(targets[at] ?? '', keyFault(targets[at] ?? '')))
  }
  const keys = [roleKeys.template, ...(hidden ? [roleKeys.hidden] : []), ...targets]
  return Object.fromEntries(keys.map((key) => [key, 'true']))
}

function annotationsOf(
  plugin: AnyPlugin,
  role: RoleTemplate,
  fault: (message: string) => void,
): Readonly<Record<string, string>> {
  const { displayName, module = plugin.displayName ?? plugin.name } = role
  const uiPermissions = uiPermissionsOf(plugin, role)
  for (const permission of uiPermissions) {
    const wrong = uiPermissionFault(plugin.name, permission)
    if (wrong !== undefined) fault(`the UI permission "${permission}" ${wrong}`)
  }
  const dependencies = role.dependencies.map((other) => dependencyOf(plugin, other, fault))
  return {
    [roleKeys.displayName]: displayName,
    [roleKeys.module]: module,
    ...(dependencies.length > 0 && { [roleKeys.dependencies]: JSON.stringify(dependencies) }),
    ...(uiPermissions.length > 0 && { [roleKeys.uiPermissions]: JSON.stringify(uiPermissions) }),
  }
}

/** Checks that a role of this plugin exists. Roles of other plugins cannot be checked here. */
function dependencyOf(
  { name, roles = [] }: AnyPlugin,
  other: RoleTemplate | string,
  fault: (message: string) => void,
): string {
  const roleName = typeof other === 'string' ? other : roleNameOf(name, other)
  const isKnown =
    typeof other === 'string' ? roles.some((role) => roleNameOf(name, role) === other) : roles.includes(other)
  if (!isKnown && (typeof other !== 'string' || other.startsWith(`${name}-`))) {
    fault(`depends on "${roleName}", which is not in the roles of the plugin; add it to them`)
  }
  const nameFault = objectNameFault(roleName)
  if (nameFault !== undefined) fault(`depends on "${roleName}", which ${nameFault}`)
  return roleName
}

function rulesOf(
  plugin: AnyPlugin,
  role: RoleTemplate,
  { groups, reachable, fault }: RoleFrame & { readonly fault: (message: string) => void },
): readonly Rule[] {
  const own = role.rules.map((rule) => resolveRule(rule, { plugin, groups }, fault))
  const called = reachable.filter(({ allow }) => allow === role).flatMap(({ patterns }) => patterns)
  return mergeRules([...own, ...called.map((pattern) => ruleOf(pattern, plugin.name))])
}
