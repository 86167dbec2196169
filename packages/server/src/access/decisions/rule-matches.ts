import type { NonResourceRule, RequestInfo, ResourceRequest, ResourceRule, Rule } from '@pergola/api'
import { isUnderstood } from './understood-rule.ts'

/**
 * Whether a stored rule allows a request; `plugin` is the plugin that owns the request's group. Deliberately plain and slow:
 * this function defines what a rule means.
 */
export function ruleMatches(rule: Rule, request: RequestInfo, plugin?: string): boolean {
  return isUnderstood(rule) && ruleCovers(rule, request, plugin)
}

/** `ruleMatches` for a rule that is known to be understood. */
export function ruleCovers(rule: Rule, request: RequestInfo, plugin?: string): boolean {
  if (!coversVerb(rule, request.verb)) return false
  if (request.kind === 'non-resource') return 'nonResourceURLs' in rule && coversPath(rule, request.path)
  return (
    'resources' in rule &&
    coversGroup(rule, request.group) &&
    coversResource(rule, resourceOf(request), plugin) &&
    coversName(rule, request.name)
  )
}

/** As written in rules: `<plural>` or `<plural>/<sub>`. */
export function resourceOf({ resource, subresource }: ResourceRequest): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`
}

export function coversVerb({ verbs }: Rule, verb: string): boolean {
  return contains(verbs, verb)
}

export function coversGroup({ apiGroups }: ResourceRule, group: string): boolean {
  return contains(apiGroups, group)
}

/** In a group of a plugin a resource has two names: the plain one, and one prefixed with the plugin's name. */
export function coversResource({ resources }: ResourceRule, resource: string, plugin: string | undefined): boolean {
  return contains(resources, resource) || (plugin !== undefined && resources.includes(`${plugin}/${resource}`))
}

/** A rule without names covers every name; a request without a name never matches a rule that lists names. */
export function coversName({ resourceNames = [] }: ResourceRule, name: string | undefined): boolean {
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))
}

/** An exact path, `*` for every path, or `<prefix>/*` for everything below `<prefix>/` but not `<prefix>/` itself. */
export function coversPath({ nonResourceURLs }: NonResourceRule, path: string): boolean {
  return nonResourceURLs.some((url) => url === '*' || url === path || (url.endsWith('/*') && isBelow(path, url)))
}

function isBelow(path: string, glob: string): boolean {
  return path.length >= glob.length && path.startsWith(glob.slice(0, -1))
}

function contains(allowed: readonly string[], wanted: string): boolean {
  return allowed.includes('*') || allowed.includes(wanted)
}
