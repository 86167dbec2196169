import { resolveIndexPath } from '../index-path.ts'
import type { ModelDeclaration, PluginDefinition, RoleDeclaration } from '../plugin-definition.ts'
import { approvalsFor, permissionsOf } from './approvals.ts'
import {
  aboutWords,
  backgroundWords,
  indexWords,
  needsWords,
  publicWords,
  settingsWords,
  signedInWords,
  unreachedWords,
} from './describe-plugin.ts'
import { dependenciesOf, rolesOf, targetsOf, type PackageContents } from './package-contents.ts'
import { reachWords, routeWords } from './reach-words.ts'
import { rightWords } from './right-words.ts'
import { addedRights, rightsOf } from './rights.ts'
import { displaysDiffer, schemaChanges } from './schema-changes.ts'
import { sectionOf, type Section } from './sections.ts'

/** Describes what changes when one package replaces another. The last section lists the approvals that the upgrade needs. */
export function describeUpgrade(before: PackageContents, after: PackageContents): readonly Section[] {
  const [earlier, later] = [before.definition, after.definition]
  const sections = [
    ...sectionOf('says of itself', changes(aboutWords(before), aboutWords(after))),
    ...sectionOf('group', changes(earlier.groups, later.groups)),
    ...sectionOf('schema', modelChanges(earlier, later)),
    ...sectionOf('display', displayChanges(earlier, later)),
    ...sectionOf('index', indexChanges(earlier, later)),
    ...sectionOf('route', changes(earlier.routes.map(routeWords), later.routes.map(routeWords))),
    ...sectionOf('role', roleChanges(before, after)),
    ...sectionOf('open to everybody', changes(publicWords(before), publicWords(after))),
    ...sectionOf('open to the signed-in', changes(signedInWords(before), signedInWords(after))),
    ...sectionOf('super administrator only', changes(unreachedWords(before), unreachedWords(after))),
    ...sectionOf('asks for', askedChanges(before, after)),
    ...sectionOf('runs', changes(backgroundWords(earlier), backgroundWords(later))),
    ...sectionOf('settings', changes(settingsWords(earlier), settingsWords(later))),
    ...sectionOf('needs', changes(needsWords(earlier), needsWords(later))),
    ...sectionOf('needs approval', approvalsFor(after, before)),
  ]
  return sections.length > 0 ? sections : sectionOf('changes', ['nothing but its code'])
}

function changes(before: readonly string[], after: readonly string[]): readonly string[] {
  return [
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
  ]
}

function modelChanges(before: PluginDefinition, after: PluginDefinition): readonly string[] {
  const come = after.models.filter((model) => !sameModel(model, before)).map(({ plural }) => `+ ${plural}`)
  const gone = before.models
    .filter((model) => !sameModel(model, after))
    .map(({ plural }) => `- ${plural}: its objects are kept, and no longer served`)
  const changed = pairs(before, after).flatMap(([earlier, later]) =>
    modelDifferences(earlier, later).map((line) => `${later.plural}: ${line}`),
  )
  return [...come, ...gone, ...changed]
}

function modelDifferences(before: ModelDeclaration, after: ModelDeclaration): readonly string[] {
  const [[earlier], [later]] = [before.versions, after.versions]
  return [
    ...(earlier?.name === later?.name ? [] : [`version ${earlier?.name ?? 'none'} -> ${later?.name ?? 'none'}`]),
    ...(before.kind === after.kind ? [] : [`kind ${before.kind} -> ${after.kind}`]),
    ...(before.singular === after.singular ? [] : [`singular ${before.singular} -> ${after.singular}`]),
    ...(earlier && later ? schemaChanges(earlier.schema, later.schema) : []),
    ...(Boolean(before.statusSubresource) === Boolean(after.statusSubresource)
      ? []
      : [after.statusSubresource ? 'status is written by /status alone' : 'status is written with everything else']),
    ...(before.check === after.check
      ? []
      : [after.check ? 'checked by the plugin before every write' : 'no longer checked by the plugin']),
  ]
}

/** One line at most: an operator decides nothing by it. */
function displayChanges(before: PluginDefinition, after: PluginDefinition): readonly string[] {
  const changed = pairs(before, after).filter(([earlier, later]) => {
    const [[was], [is]] = [earlier.versions, later.versions]
    const isOther = JSON.stringify(earlier.display) !== JSON.stringify(later.display)
    return isOther || (was && is && displaysDiffer(was.schema, is.schema))
  })
  return changed.length === 0 ? [] : [`changes for ${changed.map(([, { plural }]) => plural).join(', ')}`]
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

function indexChanges(before: PluginDefinition, after: PluginDefinition): readonly string[] {
  return pairs(before, after).flatMap(([earlier, later]) => {
    const [was, is] = [earlier.indexes ?? [], later.indexes ?? []]
    const named = (name: string) => was.find((index) => index.name === name)
    const come = is.filter(({ name }) => !named(name)).map((index) => `+ ${later.plural} ${indexWords(index)}`)
    const gone = was
      .filter(({ name }) => !is.some((index) => index.name === name))
      .map((index) => `- ${later.plural} ${indexWords(index)}`)
    const changed = is.flatMap((index) => {
      const known = named(index.name)
      const why = known && indexDifference({ model: earlier, index: known }, { model: later, index })
      return why === undefined ? [] : [`${later.plural} ${index.name} ${why}`]
    })
    const composites = changes(compositeWords(earlier), compositeWords(later))
    return [...come, ...gone, ...changed, ...composites]
  })
}

function compositeWords({ plural, composites = [] }: ModelDeclaration): readonly string[] {
  return composites.map((composite) => `${plural} ${composite.join(' + ')}`)
}

interface ModelIndex {
  readonly model: ModelDeclaration
  readonly index: NonNullable<ModelDeclaration['indexes']>[number]
}

/** A changed direction only affects how the index is read. Any other change requires a rebuild. */
function indexDifference(before: ModelIndex, after: ModelIndex): string | undefined {
  const [was, is] = [valuesOf(before), valuesOf(after)]
  if (was !== is) return `is built anew: ${was} -> ${is}`
  const [order, now] = [before.index.order ?? 'ASC', after.index.order ?? 'ASC']
  return order === now ? undefined : `sorts ${now === 'ASC' ? 'ascending' : 'descending'}, when no direction is said`
}

function valuesOf({ model, index }: ModelIndex): string {
  const unique = index.unique ? ' unique' : ''
  if ('evaluated' in index) return `${index.evaluated} by the plugin, revision ${index.revision}${unique}`
  const [version] = model.versions
  const resolved = version && resolveIndexPath(version.schema, index.name)
  if (!resolved || 'fault' in resolved) return `unknown${unique}`
  return `${resolved.multi ? 'several of ' : ''}${resolved.type}${unique}`
}

function roleChanges(before: PackageContents, after: PackageContents): readonly string[] {
  const [was, is] = [rolesOf(before), rolesOf(after)]
  return [
    ...is.filter((role) => !sameRole(role, was)).map(({ metadata }) => `+ ${metadata.name}`),
    ...was.filter((role) => !sameRole(role, is)).map(({ metadata }) => `- ${metadata.name}`),
    ...is.flatMap((role) => {
      const earlier = sameRole(role, was)
      const heading = `${role.metadata.name}${holdersOf(role)}`
      return roleDifferences({ contents: before, role: earlier }, { contents: after, role }).map(
        (line) => `${heading} ${line}`,
      )
    }),
  ]
}

function sameRole({ metadata }: RoleDeclaration, roles: readonly RoleDeclaration[]): RoleDeclaration | undefined {
  return roles.find((other) => other.metadata.name === metadata.name)
}

function holdersOf(role: RoleDeclaration): string {
  const targets = targetsOf(role)
  if (targets.includes('anonymous')) return ' (everybody)'
  return targets.includes('authenticated') ? ' (every signed-in user)' : ''
}

interface PackageRole {
  readonly contents: PackageContents
  readonly role: RoleDeclaration | undefined
}

function roleDifferences(before: PackageRole, after: PackageRole): readonly string[] {
  const rights = ({ contents, role }: PackageRole) => rightsOf(role?.rules ?? [], contents.definition)
  const bonds = ({ role }: PackageRole) =>
    role
      ? [...dependenciesOf(role).map((name) => `what ${name} may`), ...targetsOf(role).map((name) => `part of ${name}`)]
      : []
  const come = reachWords(addedRights(rights(before), rights(after)), after.contents.definition)
  const gone = reachWords(addedRights(rights(after), rights(before)), before.contents.definition)
  return [
    ...come.map((line) => `+ ${line}`),
    ...gone.map((line) => `- ${line}`),
    ...changes(bonds(before), bonds(after)),
  ]
}

function askedChanges(before: PackageContents, after: PackageContents): readonly string[] {
  const [was, is] = [permissionsOf(before), permissionsOf(after)]
  return [
    ...addedRights(was, is).map((right) => `+ ${rightWords(right, '')}`),
    ...addedRights(is, was).map((right) => `- ${rightWords(right, '')}`),
    ...changes(codeWords(before), codeWords(after)),
  ]
}

function codeWords({ hasConsoleCode }: PackageContents): readonly string[] {
  return hasConsoleCode ? ['console-code'] : []
}
