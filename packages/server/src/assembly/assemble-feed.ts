import type { Config } from '../config/config.ts'
import type { Log } from '../base/log.ts'
import type { NatsAddress } from '../config/nats-address.ts'
import type { Feed } from '../feed/feed.ts'
import { createLogFeed } from '../feed/log-feed.ts'
import type { NatsFeedPackage } from '../feed/transport.ts'
import type { Store } from '../store/store.ts'

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
  if (config.feed.transport !== 'nats') return { feed: running.use(createLogFeed(store, log)) }
  if (!nats) throw new Error('feed.transport is nats, but no NATS address is configured')
  const { natsStream: name, natsReplicas: replicas, natsMaxAge, natsMaxSize } = config.feed
  const stream = { name, replicas, maxAgeSeconds: natsMaxAge, maxBytes: natsMaxSize * 1024 * 1024 }
  const transport = await loadNatsFeed()
  const feed = running.use(transport.createNatsFeed({ store, log, address: nats, stream }))
  return { feed, feedState: () => feed.state() }
}

/** A package of its own, because few installations need it. */
async function loadNatsFeed(): Promise<NatsFeedPackage> {
  const name: string = '@pergola/feed-nats'
  try {
    return (await import(name)) as NatsFeedPackage
  } catch (error) {
    if (!isMissing(error, name)) throw error
    throw new Error(`feed.transport is nats, which needs the package ${name}:  npm install ${name}`, { cause: error })
  }
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${name}'`)
  )
}
