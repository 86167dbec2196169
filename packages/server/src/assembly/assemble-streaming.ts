import type { AccountParts } from './assemble-host-api.ts'
import { gauge } from '../base/metrics.ts'
import { createStreamLimits, watches } from '../models/query/stream-limits.ts'
import { createLastingStreams, type LastingStreams } from '../watch/lasting-streams.ts'
import { createTurns } from '../base/turns.ts'
import { createWatchHub } from '../watch/watch-hub.ts'
import type { WatchParts } from '../watch/watch-objects.ts'

/** Maximum number of concurrent reads of the log, or of present objects, for starting watches. */
const watchReadings = 8

interface StreamingParts extends Pick<AccountParts, 'store' | 'clock' | 'log' | 'config' | 'access' | 'feed'> {
  readonly settle: () => Promise<void>
}

export interface AssembledStreaming {
  readonly watching: WatchParts
  readonly streams: LastingStreams
  /** Checks the streams of a user whose rights or credentials have changed. */
  readonly recheck: (uid: string) => void
  /** Ends all streams, so that the server can stop. */
  readonly drain: () => void
}

/** Watches and long-lived answers of plugins, counted together and ended in the same way. */
export function assembleStreaming(parts: StreamingParts, running: AsyncDisposableStack): AssembledStreaming {
  const { store, clock, access } = parts
  const { watch } = parts.config
  const followed = { ...parts, concerned: access.concerned }
  const hub = running.use(createWatchHub(followed))
  running.use(gauge('pergola_watches', () => [{ value: hub.size() }]))
  const limits = createStreamLimits({ inAll: watch.max, perCaller: watch.maxPerUser, ...watches })
  const streams = running.use(createLastingStreams({ ...followed, limits }))
  const watching: WatchParts = { store, clock, hub, reading: createTurns({ atATime: watchReadings }), limits }
  return {
    watching,
    streams,
    recheck: (uid) => void Promise.all([hub.recheck(uid), streams.recheck(uid)]),
    drain: () => {
      hub.drain()
      streams.drain()
    },
  }
}
