import { reservedGroupFault, type PluginSpec } from '@pergola/api'
import { unusable } from './assert-usable.ts'
import type { Manifest } from '../package/manifest.ts'

interface Claiming {
  readonly digest: string
  readonly manifest: Manifest
}

/**
 * Groups of the host are reserved for the packages shipped with it. Checked when a package arrives: packages in the database
 * have passed this check, perhaps in another release of the host, whose shipped packages had other digests.
 */
export function assertMayClaim(
  shipped: ReadonlySet<string>,
  { digest, manifest: { name, definition } }: Claiming,
  installed: PluginSpec | undefined,
): void {
  if (shipped.has(digest)) return
  refuseReserved(definition.groups, (group) => `its plugin.json claims the group "${group}"`)
  // A package that replaces a plugin takes over its groups.
  refuseReserved(installed?.groups ?? [], (group) => `the plugin ${name} comes with the host and has "${group}"`)
}

function refuseReserved(groups: readonly string[], words: (group: string) => string): void {
  for (const group of groups) {
    const fault = reservedGroupFault(group)
    if (fault === undefined) continue
    throw unusable(new Error(`${words(group)}, which ${fault}`), 'plugin.json')
  }
}
