import { groupsWithAudiences, type PluginDefinition, type RoleDeclaration } from '../plugin-definition.ts'
import type { PluginManifest } from '../plugin-manifest.ts'
import { roleKeys } from '../role-keys.ts'
import type { Rule } from '../rules.ts'

/** What a package of a plugin holds, as far as somebody decides by it whether to take it. */
export interface PackageContents {
  readonly definition: PluginDefinition
  /** Role templates written by hand, besides those of the definition. */
  readonly roles?: readonly RoleDeclaration[]
  /** It brings pages for the console, whose code has the rights of whoever looks. */
  readonly hasConsoleCode?: boolean
}

/** As the manifest has it, whose author may have said there what the code leaves out. */
export function packageContents(manifest: PluginManifest, roles: readonly RoleDeclaration[]): PackageContents {
  const { definition, requires, ui } = manifest
  const whole = { ...definition, ...(requires !== undefined && { requires }) }
  return { definition: whole, roles, hasConsoleCode: ui !== undefined }
}

export function rolesOf({ definition, roles = [] }: PackageContents): readonly RoleDeclaration[] {
  return [...definition.roles, ...roles]
}

/** Roles that get the rules of this one. Any other value of the label means nothing. */
export function targetsOf({ metadata }: RoleDeclaration): readonly string[] {
  return Object.entries(metadata.labels)
    .filter(([key, value]) => key.startsWith(roleKeys.aggregateTo) && value === 'true')
    .map(([key]) => key.slice(roleKeys.aggregateTo.length))
}

export function dependenciesOf({ metadata }: RoleDeclaration): readonly string[] {
  const text = metadata.annotations[roleKeys.dependencies]
  if (text === undefined) return []
  const parsed: unknown = parsedOrNothing(text)
  return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : []
}

/** The host refuses a role whose list cannot be read, so that it grants nothing. */
function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The plugin's own groups, with those of its audiences. */
export function ownGroupsOf({ groups }: PluginDefinition): ReadonlySet<string> {
  return new Set(groupsWithAudiences(groups))
}

/** Rights, and roles of others by which there are more that a package cannot tell. */
export interface Reach {
  readonly rules: readonly Rule[]
  readonly foreignRoles: readonly string[]
}

/** What a role of somebody else, such as `anonymous`, gets by a package: through aggregation and dependencies, both all the way. */
export function gainOf(target: string, contents: PackageContents): Reach {
  const roles = rolesOf(contents)
  const reached = new Set<string>()
  const reach = (name: string) => {
    if (reached.has(name)) return
    reached.add(name)
    for (const role of roles) {
      if (targetsOf(role).includes(name)) reach(role.metadata.name)
      if (role.metadata.name === name) for (const other of dependenciesOf(role)) reach(other)
    }
  }
  reach(target)
  const own = new Set(roles.map(({ metadata }) => metadata.name))
  return {
    rules: roles.filter(({ metadata }) => reached.has(metadata.name)).flatMap(({ rules }) => rules),
    foreignRoles: [...reached].filter((name) => name !== target && !own.has(name)),
  }
}
