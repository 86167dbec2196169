import { audienceGroup, requestInfo, type Audience, type PluginDefinition } from '@pergola/api'

const audiences: readonly Audience[] = ['console', 'uc', 'public']

/** Resources of each group that rules may name; undefined for a group with any resources. */
export function knownResources(definition: PluginDefinition): ReadonlyMap<string, readonly string[] | undefined> {
  const { groups, models, owned, routes, apps } = definition
  const known = new Map<string, Set<string> | undefined>()
  for (const group of groups) {
    known.set(group, new Set())
    for (const audience of audiences) {
      // A web app may serve any resource.
      known.set(audienceGroup(audience, group), apps.includes(audience) ? undefined : new Set())
    }
  }
  for (const { group, plural, statusSubresource } of models) {
    known.get(group)?.add(plural)
    if (statusSubresource) known.get(group)?.add(`${plural}/status`)
  }
  for (const { group, plural } of owned) known.get(audienceGroup('uc', group))?.add(plural)
  for (const { method, path } of routes) {
    const info = requestInfo({ method, target: path.replaceAll(/\{[^/]*\}/g, 'any'), headers: {} })
    if (info.kind !== 'resource') continue
    const { group, resource, subresource } = info
    known.get(group)?.add(subresource === undefined ? resource : `${resource}/${subresource}`)
  }
  return new Map([...known].map(([group, resources]) => [group, resources && [...resources]]))
}
