import type { NonResourceRule, RequestInfo, ResourceRequest, ResourceRule, Rule } from '@pergola/api'

/** Whether a rule allows a request. Plain and slow on purpose: what it says is the meaning of a rule. */
export function ruleMatches(rule: Rule, request: RequestInfo): boolean {
  if (!contains(rule.verbs, request.verb)) return false
  if (request.kind === 'resource') return 'resources' in rule && matchesResource(rule, request)
  return 'nonResourceURLs' in rule && matchesPath(rule, request.path)
}

function matchesResource(rule: ResourceRule, request: ResourceRequest): boolean {
  const resource = request.subresource === undefined ? request.resource : `${request.resource}/${request.subresource}`
  return (
    contains(rule.apiGroups, request.group) && contains(rule.resources, resource) && matchesName(rule, request.name)
  )
}

/** No names means every name; a request without a name never matches a rule that lists names. */
function matchesName({ resourceNames = [] }: ResourceRule, name: string | undefined): boolean {
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))
}

/** Exact, `*` for every path, or `<prefix>/*` for everything below the prefix but not the prefix itself. */
function matchesPath({ nonResourceURLs }: NonResourceRule, path: string): boolean {
  return nonResourceURLs.some(
    (url) => url === '*' || url === path || (url.endsWith('/*') && path.startsWith(url.slice(0, -1))),
  )
}

function contains(allowed: readonly string[], wanted: string): boolean {
  return allowed.includes('*') || allowed.includes(wanted)
}
