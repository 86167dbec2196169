import type { PluginUse, Replica } from '../server/use-replicas.ts'

export interface ServerMemory {
  /** Its id and name. */
  readonly server: string
  readonly name: string
  readonly bytes: number
  readonly limitBytes: number | undefined
}

export interface UsedTogether extends Pick<PluginUse, 'cpu' | 'requestsPerSecond' | 'exits'> {
  /** Each server has its own limit. */
  readonly memory: readonly ServerMemory[]
}

type Summed = keyof Omit<UsedTogether, 'memory'>

/** What a plugin uses on all servers together; undefined if it runs on none. */
export function sumOfUses(replicas: readonly Replica[], plugin: string): UsedTogether | undefined {
  const found = replicas.flatMap(({ id, name, uses }) => {
    const use = uses?.[plugin]
    return use ? [{ server: id, name, use }] : []
  })
  if (found.length === 0) return undefined
  const sum = (of: Summed) => found.reduce((total, { use }) => total + use[of], 0)
  return {
    cpu: sum('cpu'),
    requestsPerSecond: sum('requestsPerSecond'),
    exits: sum('exits'),
    memory: found.map(({ server, name, use: { memoryBytes, limits } }) => ({
      server,
      name,
      bytes: memoryBytes,
      limitBytes: limits?.memoryBytes,
    })),
  }
}

const mebibyte = 1024 * 1024

export function mebibytes(bytes: number): number {
  return Math.round(bytes / mebibyte)
}
