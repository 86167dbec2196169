import { groupFault, isAudienceGroup, reservedGroupFault, versionFault } from '@pergola/api'
import type { AnyPlugin } from '../plugin.ts'
import type { AnyOwned } from '../route/owned.ts'
import type { AnyRoute } from '../route/route.ts'
import { about, type Report } from './faults.ts'

export interface ClaimedGroups {
  readonly groups: readonly string[]
  /** `<group>/<version>` of the routes; undefined when there are none or it is ambiguous. */
  readonly api: string | undefined
}

export function claimedGroups(
  plugin: AnyPlugin,
  { comesWithHost = false }: { readonly comesWithHost?: boolean },
  report: Report,
): ClaimedGroups {
  const { models = [] } = plugin
  const api = plugin.api ?? sharedApi(plugin, report)
  const said = [
    ...models.map(({ kind, apiVersion }) => ({ where: `models.${kind}.apiVersion`, apiVersion })),
    ...(plugin.api === undefined ? [] : [{ where: 'api', apiVersion: plugin.api }]),
  ].map(({ where, apiVersion }) => ({ where, group: groupOf(apiVersion), version: apiVersion.split('/')[1] ?? '' }))
  for (const { where, group, version } of said) {
    report(where, about(group, groupFault(group)))
    report(where, comesWithHost ? undefined : about(group, reservedGroupFault(group)))
    if (isAudienceGroup(group)) {
      report(where, `"${group}" looks like the group of an audience; claim the group behind "api." itself`)
    }
    report(where, about(version, versionFault(version)))
  }
  return { groups: [...new Set(said.map(({ group }) => group))].toSorted(), api }
}

export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')))
}

function sharedApi({ models = [], ...plugin }: AnyPlugin, report: Report): string | undefined {
  if (![plugin.console, plugin.uc, plugin.public].some(needsApi)) return undefined
  const [first, ...others] = new Set(models.map(({ apiVersion }) => apiVersion))
  if (first === undefined || others.length > 0) {
    const found = first === undefined ? 'there is no model' : `the models have ${[first, ...others].join(', ')}`
    report('api', `is needed for the routes, since ${found}; write api: '<group>/<version>'`)
    return undefined
  }
  return first
}

/** True for a web app, or a route whose path does not state its group. */
function needsApi(part: AnyPlugin['uc']): boolean {
  if (!Array.isArray(part)) return part !== undefined
  return (part as readonly (AnyRoute | AnyOwned)[]).some((one) => 'handler' in one && !one.path.startsWith('/apis/'))
}
