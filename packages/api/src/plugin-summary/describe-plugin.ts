import type { ModelDeclaration, PluginDefinition, RoleDeclaration } from '../plugin-definition.ts'
import { audienceGroup, ownedVerbs } from '../plugin-definition.ts'
import { verbs } from '../rules.ts'
import {
  foreignReferences,
  heldBy,
  joinsItem,
  limitNeeds,
  permissionsOf,
  requiredApprovals,
  roleValues,
} from './approvals.ts'
import { dependenciesOf, gainOf, rolesOf, targetsOf, type PackageContents, type Reach } from './package-contents.ts'
import { withApprovals, withRisk } from './place-approvals.ts'
import { planSection, sectionWithItems, type PlanItem, type PlanItemOf, type PlanSection } from './plan.ts'
import { allows, isReached, ownedItem, reachItems, rightItem, routeItem } from './reach-items.ts'
import { addedRights, rightsOf, type Right } from './rights.ts'

/**
 * Describes the effect of installing a package to the operator who decides: who gets access to what, what the plugin requests,
 * and what it registers. Derived from the rules that take effect, not from descriptions in the package. The console and the
 * CLI write their sentences from it.
 */
export function describePlugin(contents: PackageContents): readonly PlanSection[] {
  const { definition } = contents
  const sections = [
    planSection('public', withRisk('decision', publicItems(contents))),
    planSection('signed-in', withRisk('everybody', signedInItems(contents))),
    planSection(
      'roles',
      rolesOf(contents).flatMap((role) => withRisk('role', roleItems(role, definition))),
    ),
    planSection('unreached', withRisk('none', unreachedItems(contents))),
    planSection('requests', withRisk('decision', requestItems(contents))),
    ...sectionWithItems('models', withRisk('none', definition.models.map(modelItem))),
    ...sectionWithItems('background', withRisk('none', backgroundItems(definition))),
    ...sectionWithItems('settings', withRisk('none', settingItems(definition))),
    ...sectionWithItems('needs', withRisk('none', needItems(definition))),
  ]
  return withApprovals(sections, requiredApprovals(contents))
}

export function publicItems(contents: PackageContents): readonly PlanItem[] {
  return gainItems(gainOf('anonymous', contents), [], contents.definition)
}

/** Excludes what anonymous callers already have. */
export function signedInItems(contents: PackageContents): readonly PlanItem[] {
  const everybodys = rightsOf(gainOf('anonymous', contents).rules, contents.definition)
  return gainItems(gainOf('authenticated', contents), everybodys, contents.definition)
}

function gainItems(
  { rules, foreignRoles }: Reach,
  without: readonly Right[],
  definition: PluginDefinition,
): readonly PlanItem[] {
  return [
    ...reachItems(addedRights(without, rightsOf(rules, definition)), definition),
    ...foreignRoles.map(includesItem),
  ]
}

export function includesItem(other: string): PlanItemOf<'includes-role'> {
  return { code: 'includes-role', values: { other } }
}

/** Their rights are listed in the sections for everybody and for signed-in users. */
const everybodysRoles = new Set(['anonymous', 'authenticated'])

function roleItems(role: RoleDeclaration, definition: PluginDefinition): readonly PlanItem[] {
  const targets = targetsOf(role)
  if (targets.length > 0 && targets.every((target) => everybodysRoles.has(target))) return []
  const rights = [
    ...reachItems(rightsOf(role.rules, definition), definition),
    ...dependenciesOf(role).map(includesItem),
  ].map((item) => heldBy(role, item))
  const joins = targets.filter((target) => !everybodysRoles.has(target)).map((target) => joinsItem(role, target))
  if (rights.length + joins.length > 0) return [...rights, ...joins]
  return [{ code: 'role-without-rights', values: roleValues(role) }]
}

/** Resources and routes that no rule of the package grants. Omits status sub-resources, which the plugin itself writes. */
export function unreachedItems(contents: PackageContents): readonly PlanItem[] {
  const { definition } = contents
  const rights = rightsOf(
    rolesOf(contents).flatMap(({ rules }) => rules),
    definition,
  )
  return [
    ...definition.models.flatMap((model) => unreachedVerbs(model, rights, definition)),
    ...definition.owned
      .filter(({ group, plural }) => !hasRight(rights, audienceGroup('uc', group), plural))
      .map((owned) =>
        ownedItem({ verbs: ownedVerbs, ...owned, isAll: owned.verbs === undefined, names: [] }, definition),
      ),
    ...definition.routes.filter((route) => !isReached(route, rights)).map((route) => routeItem(route)),
    ...definition.apps.flatMap((audience) =>
      definition.groups.map((group): PlanItem => ({ code: 'app', values: { group: audienceGroup(audience, group) } })),
    ),
  ]
}

function hasRight(rights: readonly Right[], group: string, resource: string): boolean {
  return rights.some((right) => !('url' in right) && isFor(right.group, group) && isFor(right.resource, resource))
}

function isFor(one: string, wanted: string): boolean {
  return one === '*' || one === wanted
}

function unreachedVerbs(
  { group, plural }: ModelDeclaration,
  rights: readonly Right[],
  definition: PluginDefinition,
): readonly PlanItem[] {
  const own = rights.filter((right) => !('url' in right) && isFor(right.group, group) && isFor(right.resource, plural))
  const idle = verbs.filter((verb) => !own.some((right) => allows(right.verbs, verb)))
  if (idle.length === 0) return []
  return addedRights([], [{ group, resource: plural, names: [], verbs: idle }]).map((right) =>
    rightItem(right, definition),
  )
}

function requestItems(contents: PackageContents): readonly PlanItem[] {
  return [
    ...permissionsOf(contents).map((right) => rightItem(right, contents.definition)),
    ...consoleCodeItems(contents),
    ...limitNeeds(contents).map(({ item: { code, values } }) => ({ code, values }) as PlanItem),
    ...foreignReferences(contents).map(({ item: { code, values } }) => ({ code, values }) as PlanItem),
  ]
}

export function consoleCodeItems({ hasConsoleCode }: PackageContents): readonly PlanItem[] {
  return hasConsoleCode ? [{ code: 'console-code', values: {} }] : []
}

export function modelItem(model: ModelDeclaration): PlanItem {
  const { group, kind, plural, versions, indexes = [], composites = [], check } = model
  const names = (isMeant: (index: ModelIndex) => boolean | undefined) => indexes.filter(isMeant).map(({ name }) => name)
  const values = {
    resource: plural,
    group,
    kind,
    versions: versions.map(({ name }) => name),
    indexes: [...names(() => true), ...composites.map((parts) => parts.join(' + '))],
    unique: names(({ unique }) => unique),
    evaluated: names((index) => 'evaluated' in index),
    descending: names(({ order }) => order === 'DESC'),
    check: yesOrNo(check),
  }
  return { code: 'model', values }
}

export type ModelIndex = NonNullable<ModelDeclaration['indexes']>[number]

export function yesOrNo(value: boolean | undefined): 'yes' | 'no' {
  return value ? 'yes' : 'no'
}

export function backgroundItems({ controllers, schedules }: PluginDefinition): readonly PlanItem[] {
  return [
    ...controllers.map(({ name, plural }): PlanItem => ({ code: 'controller', values: { name, resource: plural } })),
    ...schedules.map(({ name, every, cron }): PlanItem => {
      const values = { name, ...(every !== undefined && { every }), ...(cron !== undefined && { cron }) }
      return { code: 'schedule', values }
    }),
  ]
}

export function settingItems({ settings }: PluginDefinition): readonly PlanItem[] {
  const properties = settings?.['properties']
  const required: unknown = settings?.['required']
  const isRequired = (name: string, schema: object) =>
    Array.isArray(required) && required.includes(name) && !('default' in schema)
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const known = isObject(schema) ? schema : {}
    const values = {
      name,
      required: yesOrNo(isRequired(name, known)),
      secret: yesOrNo(known['writeOnly'] === true),
    }
    return { code: 'setting', values }
  })
}

export function needItems({ requires, dependencies = {} }: PluginDefinition): readonly PlanItem[] {
  return [
    ...(requires === undefined ? [] : [{ code: 'host-version', values: { range: requires } } as const]),
    ...Object.entries(dependencies).map(([plugin, range]): PlanItem => ({
      code: 'plugin-version',
      values: { plugin, range },
    })),
  ]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
