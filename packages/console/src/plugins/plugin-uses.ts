import type { PluginUse, Replica } from '../server/use-replicas.ts'

export type UsedTogether = Pick<PluginUse, 'cpu' | 'memoryBytes' | 'requestsPerSecond' | 'exits'>

/** What a plugin uses on all servers together; undefined if it runs on none. */
export function sumOfUses(replicas: readonly Replica[], plugin: string): UsedTogether | undefined {
  const uses = replicas.flatMap(({ uses: known }) => known?.[plugin] ?? [])
  if (uses.length === 0) return undefined
  const sum = (of: keyof UsedTogether) => uses.reduce((total, use) => total + use[of], 0)
  return {
    cpu: sum('cpu'),
    memoryBytes: sum('memoryBytes'),
    requestsPerSecond: sum('requestsPerSecond'),
    exits: sum('exits'),
  }
}
