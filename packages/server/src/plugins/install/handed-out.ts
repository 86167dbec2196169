import { ApiError, groupsWithAudiences, type Rule } from '@pergola/api'
import { superAdministrator } from '../../access/administrators.ts'
import { createRoleBook } from '../../access/decisions/role-book.ts'
import { pathTo, type RoleDefinition } from '../../access/decisions/role-graph.ts'
import { isOnlyIn } from '../../access/decisions/rule-groups.ts'
import { assertCovers, assertCoversAdded, mayHandOutAnything, type RoleChange } from '../../access/escalation.ts'
import { roleWords } from '../../access/role-words.ts'
import type { Rights } from '../../access/rights.ts'
import type { Caller } from '../../call/call.ts'
import { PackageFault } from '../package/unpack-archive.ts'
import { rolesIn, type ReviewedPackage } from './package-review.ts'
import type { PluginSpec } from '../plugin-model.ts'
import type { Takeover } from './takeover.ts'

/** The rights that an installation grants: callers who install, upgrade or roll back must hold them. */
export interface HandedOut {
  readonly plugin: string
  /** The rights that any role gains outside the plugin's groups, with the package's roles in place. */
  readonly roles: RoleChange
  /** The rights of the plugin itself: its permissions, and existing data and settings. */
  readonly rules: readonly Rule[]
  /** Missing roles that its roles depend on: a later creator would unknowingly grant their rights. */
  readonly missing: readonly string[]
  /** Its code in the console acts with the rights of the signed-in user. */
  readonly hasConsoleCode: boolean
}

export interface HandingParts {
  readonly access: Pick<Rights, 'readBook' | 'readCaller'>
}

interface Handing {
  readonly installed: PluginSpec | undefined
  readonly takeover: Takeover
}

/** Throws `PackageFault` if a role of the package would reach `super-administrator`, whoever installs it. */
export async function handedOutBy(
  { access }: HandingParts,
  { manifest: { name, ui, definition }, objects }: ReviewedPackage,
  { installed, takeover }: Handing,
): Promise<HandedOut> {
  const own = new Set(groupsWithAudiences([...(installed?.groups ?? []), ...definition.groups]))
  const before = await access.readBook()
  const declared = rolesIn(objects).map((role): RoleDefinition => {
    const { rules, ...words } = roleWords({ ...role })
    // Rules on its own groups grant nothing; existing data in them is counted as a whole.
    const foreign = rules.filter((rule) => !isOnlyIn(rule, (group) => own.has(group)))
    return { ...words, name: role.metadata.name, rules: foreign }
  })
  const names = declared.map((role) => role.name)
  const others = [...before.roles.values()].filter((role) => !names.includes(role.name))
  const pluginOf = (group: string) => (own.has(group) ? name : before.pluginOf(group))
  const after = createRoleBook([...others, ...declared], { pluginOf })
  for (const role of names) refuseAll(role, after.reach([role]))
  const concerned = [...new Set([...before.heldThrough(names), ...after.heldThrough(names)])]
  return {
    plugin: name,
    roles: { before, after, concerned },
    rules: [...definition.permissions, ...takeover.rules],
    missing: after.missing.filter(({ role }) => names.includes(role)).map(({ dependency }) => dependency),
    hasConsoleCode: ui !== undefined,
  }
}

function refuseAll(role: string, reached: ReturnType<RoleChange['after']['reach']>): void {
  const highest = reached.find(({ definition }) => definition.name === superAdministrator)
  if (!highest) return
  const way = [role, ...pathTo(highest).map((step) => step.role)].join(', ')
  throw new PackageFault(`its role ${role} reaches ${superAdministrator} (${way}), which no role of a plugin may`)
}

/** Throws `EscalationForbidden` unless the caller holds everything that the installation grants. */
export async function assertMayHandOut({ access }: HandingParts, caller: Caller, handed: HandedOut): Promise<void> {
  const held = await access.readCaller(caller)
  if (mayHandOutAnything(held)) return
  const what = `the plugin "${handed.plugin}"`
  if (handed.hasConsoleCode) {
    const why = 'its code in the console acts with the rights of whoever opens its pages'
    throw new ApiError('EscalationForbidden', `${what} must be installed by a super administrator: ${why}`, {
      params: { plugin: handed.plugin },
    })
  }
  const [missing] = handed.missing
  if (missing !== undefined) {
    const why = 'only a super administrator may name a role that does not exist yet'
    throw new ApiError(
      'EscalationForbidden',
      `${what} depends on the role "${missing}", which does not exist; ${why}`,
      {
        params: { plugin: handed.plugin, missing },
      },
    )
  }
  assertCovers(held, handed.rules, what)
  assertCoversAdded(held, handed.roles, what)
}
