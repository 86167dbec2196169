import type { Config } from './base/config.ts'
import type { Log } from './base/log.ts'
import type { NatsAddress } from './base/nats-address.ts'
import type { Feed } from './feed/feed.ts'
import { createLogFeed } from './feed/log-feed.ts'
import type { Store } from './store/store.ts'

interface FeedOptions {
  readonly config: Pick<Config, 'feed'>
  /** How to reach NATS, for `feed.transport: nats`. */
  readonly nats?: NatsAddress
  readonly log: Log
}

/** The feed by the configured transport; if there are two ways, also a text that tells which one is in use. */
export async function assembleFeed(
  store: Store,
  { config, nats, log }: FeedOptions,
  running: AsyncDisposableStack,
): Promise<{ readonly feed: Feed; readonly feedState?: () => string }> {
  if (config.feed.transport !== 'nats') return { feed: running.use(await createLogFeed(store, log)) }
  if (!nats) throw new Error('feed.transport is nats, but no NATS address is configured')
  const { natsStream: name, natsReplicas: replicas, natsMaxAge, natsMaxSize } = config.feed
  const stream = { name, replicas, maxAgeSeconds: natsMaxAge, maxBytes: natsMaxSize * 1024 * 1024 }
  const { createNatsFeed } = await import('./feed/nats/nats-feed.ts')
  const feed = running.use(await createNatsFeed({ store, log, address: nats, stream }))
  return { feed, feedState: () => feed.state() }
}
