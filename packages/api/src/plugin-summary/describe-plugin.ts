import type { ModelDeclaration, PluginDefinition, RoleDeclaration } from '../plugin-definition.ts'
import { audienceGroup } from '../plugin-definition.ts'
import { roleKeys } from '../role-keys.ts'
import { verbs } from '../rules.ts'
import { approvalsFor, permissionsOf } from './approvals.ts'
import { dependenciesOf, gainOf, rolesOf, targetsOf, type PackageContents, type Reach } from './package-contents.ts'
import { allows, homeOf, isReached, reachWords, routeWords } from './reach-words.ts'
import { rightWords } from './right-words.ts'
import { addedRights, rightsOf, type Right } from './rights.ts'
import { sectionOf, type Section } from './sections.ts'

/**
 * Describes the effect of installing a package to the operator who decides: who gets access to what, what the plugin requests,
 * and what it registers. Derived from the rules that take effect, not from descriptions in the package. The console, the CLI
 * and the API show this same text.
 */
export function describePlugin(contents: PackageContents): readonly Section[] {
  const { definition } = contents
  return [
    ...sectionOf('says of itself', aboutWords(contents)),
    ...sectionOf('open to everybody', orNothing(publicWords(contents))),
    ...sectionOf('open to the signed-in', orNothing(signedInWords(contents))),
    ...sectionOf('by role', orNothing(rolesOf(contents).flatMap((role) => roleWords(role, definition)))),
    ...sectionOf('super administrator only', orNothing(unreachedWords(contents))),
    ...sectionOf('asks for', askedWords(contents)),
    ...sectionOf('models', definition.models.map(modelWords)),
    ...sectionOf('runs', backgroundWords(definition)),
    ...sectionOf('settings', settingsWords(definition)),
    ...sectionOf('needs', needsWords(definition)),
    ...sectionOf('needs approval', approvalsFor(contents)),
  ]
}

/** Claims of the author, unlike everything else in the description. */
export function aboutWords({ about = {} }: PackageContents): readonly string[] {
  const { description, author, license, homepage } = about
  const by = author === undefined ? undefined : `by ${author}`
  return [description, by, license, homepage].filter((words) => words !== undefined)
}

function orNothing(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? lines : ['nothing']
}

export function publicWords(contents: PackageContents): readonly string[] {
  return gainWords(gainOf('anonymous', contents), [], contents.definition)
}

/** Excludes what anonymous callers already have. */
export function signedInWords(contents: PackageContents): readonly string[] {
  const everybodys = rightsOf(gainOf('anonymous', contents).rules, contents.definition)
  return gainWords(gainOf('authenticated', contents), everybodys, contents.definition)
}

function gainWords(
  { rules, foreignRoles }: Reach,
  without: readonly Right[],
  definition: PluginDefinition,
): readonly string[] {
  return [
    ...reachWords(addedRights(without, rightsOf(rules, definition)), definition),
    ...foreignRoles.map((name) => `what ${name} may`),
  ]
}

/** Their rights are listed in the sections for everybody and for signed-in users. */
const everybodysRoles = new Set(['anonymous', 'authenticated'])

function roleWords(role: RoleDeclaration, definition: PluginDefinition): readonly string[] {
  const { name, annotations } = role.metadata
  const targets = targetsOf(role)
  if (targets.length > 0 && targets.every((target) => everybodysRoles.has(target))) return []
  const displayName = annotations[roleKeys.displayName]
  const heading = displayName === undefined ? name : `${name} (${displayName})`
  const lines = [
    ...reachWords(rightsOf(role.rules, definition), definition),
    ...dependenciesOf(role).map((other) => `what ${other} may`),
    ...targets.map((target) => `part of ${target}`),
  ]
  return orNothing(lines).map((what) => `${heading}: ${what}`)
}

/** Resources and routes that no rule of the package grants. Omits status sub-resources, which the plugin itself writes. */
export function unreachedWords(contents: PackageContents): readonly string[] {
  const { definition } = contents
  const rights = rightsOf(
    rolesOf(contents).flatMap(({ rules }) => rules),
    definition,
  )
  return [
    ...definition.models.flatMap((model) => unreachedVerbs(model, rights, definition)),
    ...definition.owned
      .filter(({ group, plural }) => !hasRight(rights, audienceGroup('uc', group), plural))
      .map(({ plural }) => `their own ${plural}`),
    ...definition.routes.filter((route) => !isReached(route, rights)).map(routeWords),
    ...definition.apps.flatMap((audience) =>
      definition.groups.map((group) => `whatever else ${audienceGroup(audience, group)} serves`),
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
): readonly string[] {
  const own = rights.filter((right) => !('url' in right) && isFor(right.group, group) && isFor(right.resource, plural))
  const idle = verbs.filter((verb) => !own.some((right) => allows(right.verbs, verb)))
  if (idle.length === 0) return []
  return addedRights([], [{ group, resource: plural, names: [], verbs: idle }]).map((right) =>
    rightWords(right, homeOf(definition)),
  )
}

/** Uses the same strings as `approvalsFor`, so that the operator sees exactly what is approved. */
function askedWords(contents: PackageContents): readonly string[] {
  const asked = [
    ...permissionsOf(contents).map((right) => rightWords(right, '')),
    ...(contents.hasConsoleCode ? ['console-code'] : []),
  ]
  return asked.length > 0 ? asked : ['nothing beyond its own models']
}

function modelWords({ group, kind, plural, versions, indexes = [], composites = [], check }: ModelDeclaration): string {
  const named = [...indexes.map(indexWords), ...composites.map((parts) => parts.join(' + '))]
  const counted = `${named.length} ${named.length === 1 ? 'index' : 'indexes'}`
  return [
    `${plural} (${kind}, ${group}/${versions.map(({ name }) => name).join(', ')})`,
    named.length > 0 ? `${counted}: ${named.join(', ')}` : 'no indexes of its own',
    ...(check ? ['checked by the plugin before every write'] : []),
  ].join('; ')
}

export function indexWords(index: NonNullable<ModelDeclaration['indexes']>[number]): string {
  return [
    index.name,
    ...(index.unique ? ['unique'] : []),
    ...('evaluated' in index ? ['by the plugin'] : []),
    ...(index.order === 'DESC' ? ['descending'] : []),
  ].join(' ')
}

export function backgroundWords({ controllers, schedules }: PluginDefinition): readonly string[] {
  return [
    ...controllers.map(({ name, plural }) => `${name}, whenever ${plural} change`),
    ...schedules.map(
      ({ name, every, cron }) => `${name}, ${every === undefined ? `at ${cron} (UTC)` : `every ${every}`}`,
    ),
  ]
}

export function settingsWords({ settings }: PluginDefinition): readonly string[] {
  const properties = settings?.['properties']
  const required: unknown = settings?.['required']
  const isRequired = (name: string, schema: object) =>
    Array.isArray(required) && required.includes(name) && !('default' in schema)
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const known = isObject(schema) ? schema : {}
    const said = [...(isRequired(name, known) ? ['required'] : []), ...(known['writeOnly'] === true ? ['secret'] : [])]
    return said.length > 0 ? `${name} (${said.join(', ')})` : name
  })
}

export function needsWords({ requires, dependencies = {} }: PluginDefinition): readonly string[] {
  return [
    ...(requires === undefined ? [] : [`a host of ${requires}`]),
    ...Object.entries(dependencies).map(([name, range]) => `the plugin ${name} of ${range}`),
  ]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
