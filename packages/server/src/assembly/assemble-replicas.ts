import { hostVersion } from '../base/host-version.ts'
import type { Log } from '../base/log.ts'
import { gauge } from '../base/metrics.ts'
import type { Replica } from '../base/replica.ts'
import type { HostRoute } from '../call/host-route.ts'
import type { Feed } from '../feed/feed.ts'
import { replicaRoutes } from '../host-api/replica-routes.ts'
import { phasesByReplica } from '../plugins/run/phases-by-replica.ts'
import { createReplicas, type Replicas } from '../store/replicas.ts'
import type { Store } from '../store/store.ts'

export interface ReplicaParts {
  readonly store: Store
  readonly log: Log
  readonly replica: Replica
  readonly feed: Feed
}

/** This server among all on its database: heartbeats, the list of all, and the metric that names it. */
export function assembleReplicas(
  { store, log, replica, feed }: ReplicaParts,
  running: AsyncDisposableStack,
): { readonly replicas: Replicas; readonly replicaRoutes: readonly HostRoute[] } {
  const labels = { replica: replica.name, version: hostVersion }
  running.use(gauge('pergola_replica_info', () => [{ value: 1, labels }]))
  const replicas = running.use(createReplicas({ store, log, replica, feedLagMs: () => feed.lagMs() }))
  return { replicas, replicaRoutes: replicaRoutes({ replicas, phases: () => phasesByReplica(store) }) }
}
