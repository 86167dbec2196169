import type { AccessSource } from '../access/access-source.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { gauge } from '../base/metrics.ts'
import type { Config } from '../config/config.ts'
import type { KnownCredentials } from '../credentials/known-credentials.ts'
import type { Feed } from '../feed/feed.ts'
import { createStreamLimits, watches } from '../models/query/stream-limits.ts'
import { createLastingStreams, type LastingStreams } from '../watch/lasting-streams.ts'
import { createTurns } from '../base/turns.ts'
import { createWatchHub } from '../watch/watch-hub.ts'
import type { WatchParts } from '../watch/watch-objects.ts'
import type { Store } from '../store/store.ts'

/** Maximum number of concurrent reads of the log, or of present objects, for starting watches. */
const watchReadings = 8

interface StreamingParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly feed: Feed
  readonly access: Pick<AccessSource, 'concerned'>
  readonly credentials: KnownCredentials
}

export interface AssembledStreaming {
  readonly watching: WatchParts
  readonly streams: LastingStreams
  /** Ends all streams, so that the server can stop. */
  readonly drain: () => void
}

/** Watches and long-lived answers of plugins, counted together and ended in the same way. */
export function assembleStreaming(parts: StreamingParts, running: AsyncDisposableStack): AssembledStreaming {
  const { store, clock, access, credentials } = parts
  const { watch } = parts.config
  const settle = async () => credentials.settle()
  const followed = { ...parts, concerned: access.concerned, settle }
  const hub = running.use(createWatchHub(followed))
  running.use(gauge('pergola_watches', () => [{ value: hub.size() }]))
  const limits = createStreamLimits({ inAll: watch.max, perCaller: watch.maxPerUser, ...watches })
  const streams = running.use(createLastingStreams({ ...followed, limits }))
  credentials.onRevoked((uid) => void Promise.all([hub.recheck(uid), streams.recheck(uid)]))
  const watching: WatchParts = { store, clock, hub, reading: createTurns({ atATime: watchReadings }), limits }
  return {
    watching,
    streams,
    drain: () => {
      hub.drain()
      streams.drain()
    },
  }
}
