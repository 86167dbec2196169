import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import {
  appendPluginLines,
  deleteOldPluginLines,
  deletePluginLines,
  maxLines,
  readPluginLines,
  type LinesWanted,
  type PluginLine,
} from '../../store/records/plugin-lines.ts'
import type { Replicas } from '../../store/replicas.ts'
import type { Store } from '../../store/store.ts'

/** Lines are stored together this long after the first. */
const storeMs = 1_000
const cleanMs = 3_600_000
/** How long the lines of a replica that is gone are kept. */
const keptMs = 24 * 3_600_000

/** Lines with the replicas that received them. */
interface PluginLines {
  readonly items: readonly string[]
  /** When the host received each line, RFC 3339. */
  readonly times: readonly string[]
  /** The name of the replica of each line. */
  readonly replicas: readonly string[]
  /** The number of the newest line. */
  readonly last: number
}

/** The latest log lines of plugins, stored in the database so that every replica can show those of all. */
export interface PluginLog extends AsyncDisposable {
  add(plugin: string, line: string): void
  readonly read: (plugin: string, wanted: LinesWanted) => Promise<PluginLines>
  forget(plugin: string): void
}

export interface PluginLogParts {
  readonly store: Store
  readonly log: Log
  readonly clock: Clock
  readonly replicas: Pick<Replicas, 'own' | 'ownName'>
}

export function createPluginLog({ store, log, clock, replicas }: PluginLogParts): PluginLog {
  const { own: replica, ownName: replicaName } = replicas
  const pending = new Map<string, PluginLine[]>()
  /** The plugins that wrote here. */
  const heard = new Set<string>()
  let storing: NodeJS.Timeout | undefined
  /** Ends with the last statement so far: lines are stored in order. */
  let stored: Promise<unknown> = Promise.resolve()
  const storeAll = () => {
    clearTimeout(storing)
    storing = undefined
    for (const [plugin, lines] of pending) {
      pending.delete(plugin)
      inOrder(() => appendPluginLines(store, { plugin, replica, replicaName }, lines))
    }
    return stored
  }
  const inOrder = (work: () => Promise<void>) => {
    stored = stored.then(work).catch((err: unknown) => log.warn({ err }, 'failed to store log lines of a plugin'))
  }
  const clean = () => inOrder(() => deleteOldPluginLines(store, replica, clock.now() - keptMs))
  const cleaning = setInterval(clean, cleanMs).unref()
  return {
    add: (plugin, text) => {
      const lines = pending.get(plugin) ?? []
      heard.add(plugin)
      pending.set(plugin, lines)
      if (lines.push({ at: clock.now(), text }) > maxLines) lines.shift()
      storing ??= setTimeout(() => void storeAll(), storeMs).unref()
    },
    read: async (plugin, wanted) => {
      await storeAll()
      const { lines, last } = await readPluginLines(store, plugin, wanted)
      return {
        items: lines.map(({ text }) => text),
        times: lines.map(({ at }) => new Date(at).toISOString()),
        replicas: lines.map((line) => line.replicaName),
        last,
      }
    },
    forget: (plugin) => {
      pending.delete(plugin)
      if (heard.delete(plugin)) inOrder(() => deletePluginLines(store, plugin))
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(cleaning)
      await storeAll()
    },
  }
}
