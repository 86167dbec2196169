import type { PluginReplica, PluginSpec, PluginState, PluginStatus, PluginUpgrade } from '@pergola/api'
import type { Log } from '../../base/log.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { writeStatus } from '../../models/verbs/write-status.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { Store } from '../../store/store.ts'
import { specOf } from '../plugin-model.ts'
import type { Replicas } from '../../store/replicas.ts'

const lessFirst = ['Failed', 'NotStarted', 'Started', 'Disabled']

/** One installation of a plugin: another one of the same name has another uid. */
interface PluginIdentity {
  readonly name: string
  readonly uid: string
  readonly spec: Pick<PluginSpec, 'restarts'>
}

/** Writes the states of plugins to their statuses, in order; of several pending states of a plugin, only the last. */
export interface PluginStatuses {
  /** Reports the state of a version on this replica. */
  readonly tell: (plugin: PluginIdentity, digest: string, state: PluginState) => void
  tellUpgrade(plugin: PluginIdentity, upgrade: PluginUpgrade): Promise<void>
  settled(): Promise<void>
}

export interface StatusParts {
  readonly store: Store
  readonly plugins: Model
  readonly log: Log
  readonly replicas: Pick<Replicas, 'own' | 'live'>
}

export function createPluginStatuses(parts: StatusParts): PluginStatuses {
  const { store, plugins, log, replicas } = parts
  let writing = Promise.resolve()
  const write = async (
    { name, uid }: PluginIdentity,
    next: (before: PluginStatus, spec: PluginSpec) => PluginStatus,
  ) => {
    await retryRaces(async () => {
      const stored = await store.get(plugins, name)
      if (!stored || stored.uid !== uid) return
      const object = fromData(stored.data)
      const before = (object['status'] ?? {}) as PluginStatus
      await writeStatus({ store, model: plugins }, stored, next(before, specOf(object)))
    })
  }
  return {
    tell: (plugin, digest, state) => {
      const { restarts } = plugin.spec
      const entry: PluginReplica = {
        replica: replicas.own,
        digest,
        ...(restarts !== undefined && { restarts }),
        ...state,
      }
      writing = writing
        .then(() => replicas.live())
        .then((live) => write(plugin, (before, spec) => withReplica({ before, spec, live }, entry)))
        .catch((err: unknown) => log.warn({ err, plugin: plugin.name }, 'the state of a plugin could not be written'))
    },
    tellUpgrade: (plugin, upgrade) =>
      write(plugin, (before, spec) => ({
        ...before,
        // After a failed upgrade, reports of its candidate are dropped.
        ...(before.replicas && { replicas: before.replicas.filter(({ digest }) => isCounted(spec, digest)) }),
        upgrade,
      })),
    settled: () => writing,
  }
}

interface Known {
  readonly before: PluginStatus
  readonly spec: PluginSpec
  readonly live: ReadonlySet<string>
}

/** Keeps what other replicas reported, while they are alive and the version still counts. */
function withReplica({ before, spec, live }: Known, entry: PluginReplica): PluginStatus {
  const others = (before.replicas ?? []).filter(
    ({ replica, digest }) =>
      live.has(replica) && isCounted(spec, digest) && !(replica === entry.replica && digest === entry.digest),
  )
  const replicas = [...others, ...(isCounted(spec, entry.digest) ? [entry] : [])]
  // A replica where the version is only prepared still runs the previous one.
  const atWork = replicas.filter(({ digest, phase }) => digest === spec.digest && phase !== 'Prepared')
  const [least] = atWork.toSorted(
    (one, other) =>
      lessFirst.indexOf(one.phase) - lessFirst.indexOf(other.phase) ||
      Number(one.message === undefined) - Number(other.message === undefined),
  )
  const { phase: _, reason: __, message: ___, ...rest } = before
  return { ...rest, ...stateOf(least ?? before), replicas }
}

/** Whether the version is active or being prepared. */
function isCounted(spec: PluginSpec, digest: string): boolean {
  return digest === spec.digest || digest === spec.candidate?.digest
}

function stateOf({ phase = 'NotStarted', reason, message }: Partial<PluginState>): PluginState {
  return { phase, ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) }
}
