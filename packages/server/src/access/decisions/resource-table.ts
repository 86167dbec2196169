import type { ResourceRequest, ResourceRule } from '@pergola/api'
import { addGrant, firstRule, noRule, verbBits, type Grants } from './grants.ts'
import { resourceOf } from './rule-matches.ts'

/** Resource rules with one cell for every combination of group, resource and name that they list. */
export interface ResourceTable {
  add(rule: ResourceRule, at: number): void
  /** The number of the first rule that allows the request. */
  first(request: ResourceRequest, verb: number): number
}

interface Resources {
  /** From rules on every resource. */
  star?: Cell
  /** Keyed as in rules: a resource has one cell, each of its sub-resources another. */
  readonly listed: Map<string, Cell>
}

interface Cell {
  /** From rules that list no names. */
  every: Grants | undefined
  named: Map<string, Grants> | undefined
}

interface Grant {
  readonly names: readonly string[]
  readonly verbs: number
  readonly at: number
}

/** `pluginOf` returns the plugin that owns a group. */
export function createResourceTable(pluginOf: (group: string) => string | undefined): ResourceTable {
  const groups = new Map<string, Resources>()
  const everyGroup = createResources()
  /** From rules on every group: a resource prefixed with a plugin's name applies in the groups of that plugin. */
  const plugins = new Map<string, Resources>()

  const addTo = (group: string, resource: string, grant: Grant) => {
    const resources = group === '*' ? everyGroup : entry(groups, group, createResources)
    addResource(resources, resource, grant)
    const slash = resource.indexOf('/')
    if (slash < 0) return
    const [plugin, unprefixed] = [resource.slice(0, slash), resource.slice(slash + 1)]
    if (group === '*') addResource(entry(plugins, plugin, createResources), unprefixed, grant)
    else if (pluginOf(group) === plugin) addResource(resources, unprefixed, grant)
  }

  return {
    add: ({ apiGroups, resources, resourceNames = [], verbs }, at) => {
      const grant = { names: resourceNames, verbs: verbBits(verbs), at }
      for (const group of apiGroups) for (const resource of resources) addTo(group, resource, grant)
    },
    first: (request, verb) => {
      const inGroup = firstResource(groups.get(request.group), request, verb)
      const first = Math.min(inGroup, firstResource(everyGroup, request, verb))
      if (plugins.size === 0) return first
      const plugin = pluginOf(request.group)
      return plugin === undefined ? first : Math.min(first, firstResource(plugins.get(plugin), request, verb))
    },
  }
}

const createResources = (): Resources => ({ listed: new Map() })
const createCell = (): Cell => ({ every: undefined, named: undefined })

function addResource(resources: Resources, resource: string, grant: Grant): void {
  if (resource === '*') addNames((resources.star ??= createCell()), grant)
  else addNames(entry(resources.listed, resource, createCell), grant)
}

function addNames(place: Cell, { names, verbs, at }: Grant): void {
  if (names.length === 0) {
    place.every = addGrant(place.every, verbs, at)
    return
  }
  place.named ??= new Map()
  for (const name of names) place.named.set(name, addGrant(place.named.get(name), verbs, at))
}

function firstResource(resources: Resources | undefined, request: ResourceRequest, verb: number): number {
  if (!resources) return noRule
  const { star, listed } = resources
  const anyway = star ? firstName(star, request.name, verb) : noRule
  const place = listed.size === 0 ? undefined : listed.get(resourceOf(request))
  return place ? Math.min(anyway, firstName(place, request.name, verb)) : anyway
}

function firstName({ every, named }: Cell, name: string | undefined, verb: number): number {
  const unnamed = firstRule(every, verb)
  return named && name !== undefined ? Math.min(unnamed, firstRule(named.get(name), verb)) : unnamed
}

function entry<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}
