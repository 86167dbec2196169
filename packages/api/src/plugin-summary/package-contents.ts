import { groupsWithAudiences, type PluginDefinition, type RoleDeclaration } from '../plugin-definition.ts'
import type { PluginAbout, PluginManifest } from '../plugin-manifest.ts'
import { roleKeys } from '../role-keys.ts'
import type { Rule } from '../rules.ts'

/** The parts of a package that matter for the decision to install it. */
export interface PackageContents {
  readonly definition: PluginDefinition
  /** Role templates from `extensions/`, in addition to those of the definition. */
  readonly roles?: readonly RoleDeclaration[]
  /** The package contains console pages. Their code runs with the rights of the signed-in user. */
  readonly hasConsoleCode?: boolean
  readonly about?: PluginAbout
}

/** Takes `requires` from the manifest when the author set it there. */
export function packageContents(manifest: PluginManifest, roles: readonly RoleDeclaration[]): PackageContents {
  const { definition, requires, ui, description, author, homepage, license } = manifest
  const whole = { ...definition, ...(requires !== undefined && { requires }) }
  return {
    definition: whole,
    roles,
    hasConsoleCode: ui !== undefined,
    about: presentOf({ description, author, homepage, license }),
  }
}

/** Without the fields that the author left out. */
function presentOf(about: Readonly<Record<string, string | undefined>>): PluginAbout {
  return Object.fromEntries(Object.entries(about).filter(([, text]) => text !== undefined))
}

export function rolesOf({ definition, roles = [] }: PackageContents): readonly RoleDeclaration[] {
  return [...definition.roles, ...roles]
}

/** Roles that this role aggregates to. Only the label value `true` counts. */
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

/** Invalid JSON grants nothing: the host rejects such a role. */
function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The plugin's groups and their audience groups. */
export function ownGroupsOf({ groups }: PluginDefinition): ReadonlySet<string> {
  return new Set(groupsWithAudiences(groups))
}

/** Rules of the package, and the foreign roles that add further rules unknown to the package. */
export interface Reach {
  readonly rules: readonly Rule[]
  readonly foreignRoles: readonly string[]
}

/** What a foreign role such as `anonymous` gains from a package, following aggregation and dependencies transitively. */
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
