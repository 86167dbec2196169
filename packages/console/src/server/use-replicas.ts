import { useQuery } from '@tanstack/vue-query'
import { computed, type ComputedRef } from 'vue'
import { useMay } from '../session/use-may.ts'
import { client, consoleApi } from './client.ts'

/** What a plugin uses on a replica, with rates of the last seconds. */
export interface PluginUse {
  readonly memoryBytes: number
  /** Absent from a server of an earlier version. */
  readonly processes?: number
  /** What its processes may use there; absent if none runs. */
  readonly limits?: { readonly memoryBytes: number; readonly scratchBytes: number; readonly processes: number }
  /** CPU seconds per second. */
  readonly cpu: number
  /** Unexpected exits since the server started. */
  readonly exits: number
  readonly openRequests: number
  readonly requestsPerSecond: number
  readonly answerMs?: number
}

/** A server on the same database. */
export interface Replica {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly startedAt: string
  readonly feedLagMs: number
  readonly leases: readonly string[]
  readonly plugins: Readonly<Record<string, number>>
  /** By plugin. */
  readonly uses?: Readonly<Record<string, PluginUse>>
  readonly isThis?: boolean
}

interface Listed {
  readonly items: readonly Replica[]
}

/** The servers, read again every five seconds; undefined until read, or without the right. */
export function useReplicas(): ComputedRef<readonly Replica[] | undefined> {
  const mayList = useMay({ verb: 'list', group: 'console.api.platform.run', resource: 'replicas' })
  const read = useQuery({
    queryKey: ['replicas'],
    queryFn: async ({ signal }) =>
      (await client.call({ method: 'GET', path: `${consoleApi}/replicas`, signal })) as Listed,
    refetchInterval: 5_000,
    // Equal answers are samples, too.
    structuralSharing: false,
    enabled: mayList,
  })
  return computed(() => read.data.value?.items)
}
