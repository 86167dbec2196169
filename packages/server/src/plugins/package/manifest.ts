import {
  groupFault,
  hueFault,
  iconFault,
  isAudienceGroup,
  limitsFault,
  ownedVerbs,
  pagePathFault,
  pluginNameFault,
  type PluginAbout,
  type PluginDefinition,
} from '@pergola/api'
import { hostVersion } from '../../base/host-version.ts'
import { isJsonObject } from '../../base/json-object.ts'
import type { PluginPackage } from './read-package.ts'
import { customApiFault } from './route-faults.ts'
import { PackageFault } from './unpack-archive.ts'
import { isInRange, isRange } from './versions.ts'

/** The validated part of a package's manifest. */
export interface Manifest extends PluginAbout {
  readonly name: string
  readonly version: string
  readonly displayName?: string
  /** The range of host versions that it works with. */
  readonly requires?: string
  /** Entry file of its console pages. */
  readonly ui?: string
  readonly definition: PluginDefinition
}

const versionForm = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/

/** Throws `PackageFault`, worded for the sender of the package. */
export function manifestOf({ manifest, files }: Pick<PluginPackage, 'manifest' | 'files'>): Manifest {
  const { name, version, displayName, requires, ui, definition } = isJsonObject(manifest)
    ? manifest
    : refuse('is no object')
  if (typeof name !== 'string') return refuse('has no name')
  const fault = pluginNameFault(name)
  if (fault !== undefined) return refuse(`has the name "${name}", which ${fault}`)
  if (typeof version !== 'string' || !versionForm.test(version)) return refuse('has no version such as 1.0.0')
  if (!isJsonObject(definition)) return refuse('has no definition')
  const checked = checkedDefinition(definition, name)
  const range = requires ?? checked.requires
  if (range !== undefined && !isRange(range)) {
    refuse(`requires ${JSON.stringify(range)}, which is no range of versions such as ^1.0.0`)
  }
  if (ui !== undefined) assertPages(ui, files)
  return {
    name,
    version,
    ...(typeof displayName === 'string' && { displayName }),
    ...(range !== undefined && { requires: range }),
    ...(typeof ui === 'string' && { ui }),
    ...aboutOf(manifest, files),
    definition: checked,
  }
}

const mostAbout = 500

/** The console shows these texts and links, so both are validated. */
function aboutOf(manifest: unknown, files: PluginPackage['files']): PluginAbout {
  const said = Object.fromEntries(
    (['description', 'author', 'license', 'homepage', 'logo', 'icon', 'color'] as const).flatMap((field) => {
      const text = isJsonObject(manifest) ? manifest[field] : undefined
      if (text === undefined) return []
      if (typeof text === 'string' && text.length <= mostAbout) return [[field, text]]
      return refuse(`has no text of at most ${mostAbout} characters as ${field}`)
    }),
  ) as PluginAbout
  const { homepage, logo, icon, color } = said
  if (homepage !== undefined && !/^https?:\/\//.test(homepage))
    refuse(`has the homepage "${homepage}", which is no URL`)
  if (logo !== undefined && !(/^[\w-]+\.(?:png|svg|jpg|webp)$/.test(logo) && files.has(logo))) {
    refuse(`has the logo "${logo}", which must be a png, svg, jpg or webp file at the top of the package`)
  }
  const faults = { icon: icon && iconFault(icon), color: color && hueFault(color) }
  for (const [field, fault] of Object.entries(faults)) {
    if (fault !== undefined) refuse(`has the ${field} "${said[field as keyof typeof faults]}", which ${fault}`)
  }
  return said
}

/** Pages are in a folder of their own: browsers get no other file of a package. */
function assertPages(ui: unknown, files: PluginPackage['files']): void {
  if (typeof ui !== 'string' || !/^ui\/[\w.-]+\.js$/.test(ui)) {
    refuse(`has pages at ${JSON.stringify(ui)}; they begin in a file such as ui/index.js`)
  }
  if (!files.has(ui)) refuse(`has pages at ${ui}, which the package does not hold`)
}

/** Why the package cannot run on this host. */
export function hostFault({ requires }: Manifest): string | undefined {
  if (requires === undefined || isInRange(hostVersion, requires)) return undefined
  const cure = 'upgrade the host, or take another version of the plugin'
  return `it needs a host of ${requires}, and this one is ${hostVersion}; ${cure}`
}

const lists = ['groups', 'models', 'routes', 'apps', 'owned', 'roles', 'controllers', 'schedules', 'permissions']

function checkedDefinition(definition: Readonly<Record<string, unknown>>, name: string): PluginDefinition {
  if (definition['protocol'] !== 1) {
    refuse(`speaks protocol ${JSON.stringify(definition['protocol'])}; this host speaks 1`)
  }
  if (definition['name'] !== name) refuse(`has the definition of another plugin, ${JSON.stringify(definition['name'])}`)
  for (const list of lists) if (!Array.isArray(definition[list])) refuse(`has no list of ${list}`)
  const known = definition as unknown as PluginDefinition
  for (const group of known.groups) {
    const fault = groupFault(group)
    if (fault !== undefined) refuse(`claims the group "${group}", which ${fault}`)
    if (isAudienceGroup(group)) refuse(`claims the group "${group}", which looks like that of an audience`)
  }
  const unusable = known.needs === undefined ? undefined : limitsFault(known.needs)
  if (unusable !== undefined) refuse(`has needs, which ${unusable}`)
  refuseForeign(known)
  refuseVague(known)
  refusePages(known)
  refuseOwned(known)
  return known
}

export const mostPages = 50

/** Titles and paths are shown to every signed-in user, so pages may contain nothing else. */
function refusePages({ pages = [] }: PluginDefinition): void {
  if (!Array.isArray(pages) || pages.length > mostPages) refuse(`must have a list of at most ${mostPages} pages`)
  for (const page of pages as readonly unknown[]) {
    const { path, title, titles = {}, permissions = [], inMenu = true } = isJsonObject(page) ? page : {}
    if (typeof path !== 'string' || typeof title !== 'string') return refuse('has a page without path or title')
    const fault = pagePathFault(path)
    if (fault !== undefined) refuse(`has a page at "${path}", which ${fault}`)
    if (
      ![title, ...(isJsonObject(titles) ? Object.values(titles) : [undefined])].every(isTitle) ||
      typeof inMenu !== 'boolean' ||
      !Array.isArray(permissions) ||
      !permissions.every((one) => typeof one === 'string')
    ) {
      refuse(`has a page "${path}" whose title, permissions or inMenu cannot be used`)
    }
  }
}

function isTitle(title: unknown): boolean {
  return typeof title === 'string' && title.length <= 100
}

const fieldPath = /^(spec|status)(\.[\w-]{1,100}){0,8}$/

/** Verbs and read-only fields restrict what owners may do, so they must be understood. */
function refuseOwned({ owned }: PluginDefinition): void {
  for (const { plural, verbs = [], readOnly = [] } of owned) {
    const isKnown = Array.isArray(verbs) && verbs.every((verb) => ownedVerbs.includes(verb))
    const isPaths =
      Array.isArray(readOnly) && readOnly.every((path) => typeof path === 'string' && fieldPath.test(path))
    if (!isKnown || !isPaths) refuse(`serves owned ${plural} with verbs or readOnly that cannot be used`)
  }
}

/** Dependencies must be named and have version ranges. */
function refuseVague({ name, dependencies = {} }: PluginDefinition): void {
  if (!isJsonObject(dependencies)) refuse('has dependencies that are no object')
  for (const [other, range] of Object.entries(dependencies)) {
    const fault = other === name ? 'is itself' : pluginNameFault(other)
    if (fault !== undefined) refuse(`depends on "${other}", which ${fault}`)
    if (!isRange(range)) refuse(`depends on ${other} of ${JSON.stringify(range)}, which is no range such as ^1.0.0`)
  }
}

/** Everything that a plugin serves must be in its own groups and unambiguous. */
function refuseForeign(definition: PluginDefinition): void {
  const { groups, models } = definition
  const foreignModel = models.find(({ group }) => !groups.includes(group))
  if (foreignModel) refuse(`has the model ${foreignModel.plural} in "${foreignModel.group}", which it does not claim`)
  const fault = customApiFault(definition)
  if (fault !== undefined) refuse(fault)
}

function refuse(why: string): never {
  throw new PackageFault(`its plugin.json ${why}; make it with "pergola plugin pack"`)
}
