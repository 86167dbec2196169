import { resolveIndexPath } from '../index-path.ts'
import type { ModelDeclaration, PluginDefinition, RoleDeclaration } from '../plugin-definition.ts'
import { heldBy, joinsItem, permissionsOf, requiredApprovals, roleValues, sectionOfTarget } from './approvals.ts'
import {
  backgroundItems,
  consoleCodeItems,
  includesItem,
  modelItem,
  needItems,
  publicItems,
  settingItems,
  signedInItems,
  unreachedItems,
  yesOrNo,
  type ModelIndex,
} from './describe-plugin.ts'
import { dependenciesOf, rolesOf, targetsOf, type PackageContents } from './package-contents.ts'
import { withApprovals, withRisk } from './place-approvals.ts'
import { keyOf, planSection, type PlanItem, type PlanSection, type PlanSectionCode } from './plan.ts'
import { reachItems, rightItem, routeItem } from './reach-items.ts'
import { addedRights, rightsOf } from './rights.ts'
import { displaysDiffer, schemaChanges } from './schema-changes.ts'

/** Describes what changes when one package replaces another. Items with an approval are new to the operator. */
export function describeUpgrade(before: PackageContents, after: PackageContents): readonly PlanSection[] {
  const [earlier, later] = [before.definition, after.definition]
  const joins = joinChanges(before, after)
  const joinsIn = (code: PlanSectionCode) => joins.filter(({ section }) => section === code).map(({ item }) => item)
  const compared = (itemsOf: (contents: PackageContents) => readonly PlanItem[]) =>
    changes(itemsOf(before), itemsOf(after))
  const sections = [
    planSection('about', withRisk('none', compared(aboutItems))),
    planSection(
      'groups',
      withRisk(
        'none',
        compared(({ definition }) => definition.groups.map(groupItem)),
      ),
    ),
    planSection('models', withRisk('none', modelChanges(earlier, later))),
    planSection('indexes', withRisk('none', indexChanges(earlier, later))),
    planSection(
      'routes',
      withRisk(
        'none',
        compared(({ definition }) => definition.routes.map((one) => routeItem(one))),
      ),
    ),
    planSection('roles', withRisk('role', [...roleChanges(before, after), ...joinsIn('roles')])),
    planSection('public', withRisk('decision', [...joinsIn('public'), ...compared(publicItems)])),
    planSection('signed-in', withRisk('everybody', [...joinsIn('signed-in'), ...compared(signedInItems)])),
    planSection('unreached', withRisk('none', compared(unreachedItems))),
    planSection('requests', withRisk('decision', requestChanges(before, after))),
    planSection(
      'background',
      withRisk(
        'none',
        compared(({ definition }) => backgroundItems(definition)),
      ),
    ),
    planSection(
      'settings',
      withRisk(
        'none',
        compared(({ definition }) => settingItems(definition)),
      ),
    ),
    planSection(
      'needs',
      withRisk(
        'none',
        compared(({ definition }) => needItems(definition)),
      ),
    ),
  ]
  const approved = requiredApprovals(after, before).map(({ section, item }) => ({
    section,
    item: { ...item, change: '+' as const },
  }))
  const told = withApprovals(sections, approved).filter(({ items }) => items.length > 0)
  return told.length > 0 ? told : [planSection('changes', [])]
}

function changes(before: readonly PlanItem[], after: readonly PlanItem[]): readonly PlanItem[] {
  const [was, is] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))]
  return [
    ...after.filter((item) => !was.has(keyOf(item))).map((item): PlanItem => ({ ...item, change: '+' })),
    ...before.filter((item) => !is.has(keyOf(item))).map((item): PlanItem => ({ ...item, change: '-' })),
  ]
}

/** Claims of the author, unlike everything else in the description. */
function aboutItems({ about = {} }: PackageContents): readonly PlanItem[] {
  return (['description', 'author', 'license', 'homepage'] as const).flatMap((field) => {
    const text = about[field]
    return text === undefined ? [] : [{ code: 'about', values: { field, text } }]
  })
}

function groupItem(group: string): PlanItem {
  return { code: 'group', values: { group } }
}

function modelChanges(before: PluginDefinition, after: PluginDefinition): readonly PlanItem[] {
  const come = after.models.filter((model) => !sameModel(model, before)).map(modelItem)
  const gone = before.models.filter((model) => !sameModel(model, after)).map(modelItem)
  return [
    ...come.map((item): PlanItem => ({ ...item, change: '+' })),
    ...gone.map((item): PlanItem => ({ ...item, change: '-' })),
    ...pairs(before, after).flatMap(([earlier, later]) => modelDifferences(earlier, later)),
  ]
}

function modelDifferences(before: ModelDeclaration, after: ModelDeclaration): readonly PlanItem[] {
  const [[earlier], [later]] = [before.versions, after.versions]
  const resource = after.plural
  const renamed = (field: 'version' | 'kind' | 'singular', was = 'none', is = 'none'): readonly PlanItem[] =>
    was === is ? [] : [{ code: 'model-name', values: { resource, field, before: was, after: is }, change: '~' }]
  const separate = yesOrNo(after.statusSubresource)
  return [
    ...renamed('version', earlier?.name, later?.name),
    ...renamed('kind', before.kind, after.kind),
    ...renamed('singular', before.singular, after.singular),
    ...(earlier && later ? schemaChanges(resource, earlier.schema, later.schema) : []),
    ...(separate === yesOrNo(before.statusSubresource)
      ? []
      : [{ code: 'model-status', values: { resource, separate }, change: '~' } as const]),
    ...(before.check === after.check
      ? []
      : [{ code: 'model-check', values: { resource, check: yesOrNo(after.check) }, change: '~' } as const]),
    ...(isDisplayedSame(before, after) ? [] : [{ code: 'model-display', values: { resource }, change: '~' } as const]),
  ]
}

function isDisplayedSame(before: ModelDeclaration, after: ModelDeclaration): boolean {
  const [[was], [is]] = [before.versions, after.versions]
  const isOther = was && is && displaysDiffer(was.schema, is.schema)
  return !isOther && JSON.stringify(before.display) === JSON.stringify(after.display)
}

function sameModel({ group, plural }: ModelDeclaration, { models }: PluginDefinition): ModelDeclaration | undefined {
  return models.find((other) => other.group === group && other.plural === plural)
}

function pairs(
  before: PluginDefinition,
  after: PluginDefinition,
): readonly (readonly [ModelDeclaration, ModelDeclaration])[] {
  return after.models.flatMap((later) => {
    const earlier = sameModel(later, before)
    return earlier ? [[earlier, later] as const] : []
  })
}

function indexChanges(before: PluginDefinition, after: PluginDefinition): readonly PlanItem[] {
  return pairs(before, after).flatMap(([earlier, later]) => {
    const [was, is] = [earlier.indexes ?? [], later.indexes ?? []]
    const named = (name: string) => was.find((index) => index.name === name)
    const come = is.filter(({ name }) => !named(name)).map((index) => indexItem(later, index, '+'))
    const gone = was
      .filter(({ name }) => !is.some((index) => index.name === name))
      .map((index) => indexItem(later, index, '-'))
    const changed = is.flatMap((index) => {
      const known = named(index.name)
      return known ? indexDifference({ model: earlier, index: known }, { model: later, index }) : []
    })
    return [...come, ...gone, ...changed, ...changes(compositeItems(earlier), compositeItems(later))]
  })
}

function indexItem({ plural }: ModelDeclaration, index: ModelIndex, change: '+' | '-'): PlanItem {
  const values = {
    resource: plural,
    name: index.name,
    unique: yesOrNo(index.unique),
    evaluated: yesOrNo('evaluated' in index),
    order: orderOf(index),
  }
  return { code: 'index', values, change }
}

function orderOf({ order }: ModelIndex): 'ascending' | 'descending' {
  return order === 'DESC' ? 'descending' : 'ascending'
}

function compositeItems({ plural, composites = [] }: ModelDeclaration): readonly PlanItem[] {
  return composites.map((parts) => ({ code: 'composite', values: { resource: plural, parts } }))
}

interface IndexOfModel {
  readonly model: ModelDeclaration
  readonly index: ModelIndex
}

/** A changed direction only affects how the index is read. Any other change requires a rebuild. */
function indexDifference(before: IndexOfModel, after: IndexOfModel): readonly PlanItem[] {
  const named = { resource: after.model.plural, name: after.index.name }
  const [was, is] = [contentOf(before), contentOf(after)]
  if (was.join() !== is.join()) {
    return [{ code: 'index-rebuilt', values: { ...named, before: was, after: is }, change: '~' }]
  }
  const order = orderOf(after.index)
  return order === orderOf(before.index) ? [] : [{ code: 'index-order', values: { ...named, order }, change: '~' }]
}

function contentOf({ model, index }: IndexOfModel): readonly string[] {
  const unique = index.unique ? ['unique'] : []
  if ('evaluated' in index) return [index.evaluated, `revision:${index.revision}`, ...unique]
  const [version] = model.versions
  const resolved = version && resolveIndexPath(version.schema, index.name)
  if (!resolved || 'fault' in resolved) return ['unknown', ...unique]
  return [...(resolved.multi ? ['list'] : []), resolved.type, ...unique]
}

function roleChanges(before: PackageContents, after: PackageContents): readonly PlanItem[] {
  const [was, is] = [rolesOf(before), rolesOf(after)]
  return [
    ...changes(
      was.filter((role) => !sameRole(role, is)).map(roleItem),
      is.filter((role) => !sameRole(role, was)).map(roleItem),
    ),
    ...is.flatMap((role) =>
      roleDifferences({ contents: before, role: sameRole(role, was) }, { contents: after, role }).map((item) =>
        heldBy(role, item),
      ),
    ),
  ]
}

function roleItem(role: RoleDeclaration): PlanItem {
  return { code: 'role', values: roleValues(role) }
}

function sameRole({ metadata }: RoleDeclaration, roles: readonly RoleDeclaration[]): RoleDeclaration | undefined {
  return roles.find((other) => other.metadata.name === metadata.name)
}

/** Changes of aggregation, of the roles that the new package has. */
function joinChanges(before: PackageContents, after: PackageContents) {
  return rolesOf(after).flatMap((role) => {
    const earlier = sameRole(role, rolesOf(before))
    const joins = (one: RoleDeclaration | undefined) => (one ? targetsOf(one) : []).map((to) => joinsItem(role, to))
    return changes(joins(earlier), joins(role)).flatMap((item) =>
      item.code === 'joins-role' ? [{ section: sectionOfTarget(item.values.target), item }] : [],
    )
  })
}

interface PackageRole {
  readonly contents: PackageContents
  readonly role: RoleDeclaration | undefined
}

function roleDifferences(before: PackageRole, after: PackageRole): readonly PlanItem[] {
  const rights = ({ contents, role }: PackageRole) => rightsOf(role?.rules ?? [], contents.definition)
  const included = ({ role }: PackageRole) => (role ? dependenciesOf(role) : []).map(includesItem)
  return [
    ...changes([], reachItems(addedRights(rights(before), rights(after)), after.contents.definition)),
    ...changes(reachItems(addedRights(rights(after), rights(before)), before.contents.definition), []),
    ...changes(included(before), included(after)),
  ]
}

function requestChanges(before: PackageContents, after: PackageContents): readonly PlanItem[] {
  const [was, is] = [permissionsOf(before), permissionsOf(after)]
  return [
    ...changes(
      [],
      addedRights(was, is).map((right) => rightItem(right, after.definition)),
    ),
    ...changes(
      addedRights(is, was).map((right) => rightItem(right, before.definition)),
      [],
    ),
    ...changes(consoleCodeItems(before), consoleCodeItems(after)),
  ]
}
