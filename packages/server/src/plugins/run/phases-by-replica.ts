import type { PluginStatus } from '@pergola/api'
import { fromData } from '../../models/object-bytes.ts'
import { allObjects } from '../../store/all-objects.ts'
import type { Store } from '../../store/store.ts'
import { pluginKey } from '../plugin-model.ts'

/** The number of plugins in each phase, by the id of the replica that reported them. */
export async function phasesByReplica(store: Store): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
  const found = new Map<string, Record<string, number>>()
  for await (const { data } of allObjects(store, pluginKey)) {
    const { replicas = [] } = (fromData(data)['status'] ?? {}) as PluginStatus
    for (const { replica, phase } of replicas) {
      const phases = found.get(replica) ?? {}
      phases[phase] = (phases[phase] ?? 0) + 1
      found.set(replica, phases)
    }
  }
  return found
}
