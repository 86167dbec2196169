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
  /** To compare rules by: the smaller, the nearer. */
  readonly distance: number
}

/** Another verb or name is a small step; another resource is another matter. */
const distances: Readonly<Record<Miss, number>> = {
  verb: 1,
  name: 1,
  'sub-resource': 2,
  resource: 4,
  group: 4,
  path: 4,
}

type PluginOf = (group: string) => string | undefined

/** What keeps an understood rule from allowing a request; undefined when they have nothing to do with each other. */
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
  // In another group of its own, a plugin's resource with the prefix would be the same resource.
  const plugins = group.length === 0 ? [pluginOf(request.group)] : rule.apiGroups.map(pluginOf)
  if (plugins.some((plugin) => coversResource(rule, resourceOf(request), plugin))) {
    return coversName(rule, request.name) ? group : [...group, 'name']
  }
  // The names that a rule lists say nothing of another resource.
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

/** How many segments the path has in common with the path of the rule that is most like it, from the left. */
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
