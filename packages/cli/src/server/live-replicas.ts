import type { Connection } from './connect.ts'

/** What a plugin uses on a replica. */
export interface PluginUse {
  readonly memoryBytes: number
  /** CPU seconds per second. */
  readonly cpu: number
  /** Unexpected exits since the replica started. */
  readonly exits: number
  readonly openRequests: number
  readonly requestsPerSecond: number
  readonly answerMs?: number
}

export interface LiveReplica {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly startedAt: string
  readonly feedLagMs: number
  readonly leases: readonly string[]
  /** The number of plugins in each phase. */
  readonly plugins: Readonly<Record<string, number>>
  /** By plugin; absent from a server of an earlier version. */
  readonly uses?: Readonly<Record<string, PluginUse>>
  readonly isThis?: boolean
}

export async function liveReplicas({ client }: Pick<Connection, 'client'>): Promise<readonly LiveReplica[]> {
  const path = '/apis/console.api.platform.run/v1alpha1/replicas'
  return ((await client.call({ method: 'GET', path })) as { readonly items: readonly LiveReplica[] }).items
}
