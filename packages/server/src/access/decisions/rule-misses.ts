import {
  maxPathSegments,
  type NonResourceRequest,
  type NonResourceRule,
  type RequestInfo,
  type ResourceRequest,
  type ResourceRule,
  type Rule,
} from '@pergola/api'
import { coversGroup, coversName, coversPath, coversResource, coversVerb, resourceOf } from './rule-matches.ts'

/** A part of a request that a rule does not cover. */
export type Miss = 'verb' | 'group' | 'resource' | 'sub-resource' | 'name' | 'path'

export interface Misses {
  readonly misses: readonly Miss[]
  /** For ranking rules: the smaller, the closer. */
  readonly distance: number
}

/** A different verb or name is a near miss; a different resource is far off. */
const distances: Readonly<Record<Miss, number>> = {
  verb: 1,
  name: 1,
  'sub-resource': 2,
  resource: 4,
  group: 4,
  path: 4,
}

type PluginOf = (group: string) => string | undefined

/** What keeps an understood rule from allowing a request; undefined when the rule does not relate to the request. */
export function missesOf(rule: Rule, request: RequestInfo, pluginOf: PluginOf): Misses | undefined {
  const verb: readonly Miss[] = coversVerb(rule, request.verb) ? [] : ['verb']
  if (request.kind === 'resource') {
    if (!('resources' in rule)) return undefined
    const misses = [...verb, ...resourceMisses(rule, request, pluginOf)]
    if (misses.includes('group') && misses.includes('resource')) return undefined
    return { misses, distance: sum(misses) }
  }
  if (!('nonResourceURLs' in rule)) return undefined
  if (coversPath(rule, request.path)) return { misses: verb, distance: sum(verb) }
  const shared = sharedSegments(rule, request)
  const misses: readonly Miss[] = [...verb, 'path']
  return shared === 0 ? undefined : { misses, distance: sum(misses) + maxPathSegments - shared }
}

function resourceMisses(rule: ResourceRule, request: ResourceRequest, pluginOf: PluginOf): readonly Miss[] {
  const group: readonly Miss[] = coversGroup(rule, request.group) ? [] : ['group']
  // A prefixed resource means the same resource in every group of that plugin.
  const plugins = group.length === 0 ? [pluginOf(request.group)] : rule.apiGroups.map(pluginOf)
  if (plugins.some((plugin) => coversResource(rule, resourceOf(request), plugin))) {
    return coversName(rule, request.name) ? group : [...group, 'name']
  }
  // When the resource differs, the names in the rule are irrelevant.
  const isPart = plugins.some((plugin) => isOfSamePlural(rule, request, plugin))
  return [...group, isPart ? 'sub-resource' : 'resource']
}

function isOfSamePlural({ resources }: ResourceRule, request: ResourceRequest, plugin: string | undefined): boolean {
  const begins = (resource: string) => resource.split('/')[0] === request.resource
  const prefix = `${plugin}/`
  return resources.some(
    (resource) =>
      begins(resource) ||
      (plugin !== undefined && resource.startsWith(prefix) && begins(resource.slice(prefix.length))),
  )
}

/** The number of leading segments that the path shares with the most similar path of the rule. */
function sharedSegments({ nonResourceURLs }: NonResourceRule, { path }: NonResourceRequest): number {
  const asked = path.split('/').slice(1)
  const sharedWith = (url: string) => {
    const listed = url.split('/').slice(1)
    const differs = asked.findIndex((segment, at) => segment !== listed[at])
    return differs < 0 ? asked.length : differs
  }
  return nonResourceURLs.reduce((most, url) => Math.max(most, sharedWith(url)), 0)
}

function sum(misses: readonly Miss[]): number {
  return misses.reduce((total, miss) => total + distances[miss], 0)
}
