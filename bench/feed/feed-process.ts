import { createLog } from '../../packages/server/src/base/log.ts'
import { keepLink } from '../../packages/feed-nats/src/link.ts'
import { createNatsFeed } from '../../packages/feed-nats/src/nats-feed.ts'
import { startRelay } from '../../packages/feed-nats/src/relay.ts'
import { loadSeals } from '../../packages/feed-nats/src/seals.ts'
import { openPostgresStore } from '../../packages/server/src/store/postgres/postgres-store.ts'

/** A process that follows changes and may run the relay, or runs only the relay. */
export interface FeedReport {
  /** How far it has read the log. */
  readonly number: number
  /** Number of changes delivered here, or published. */
  readonly changes: number
  readonly cpuMicroseconds: number
  readonly state: string
}

const [url = '', natsUrl = '', what] = process.argv.slice(2)
const log = createLog({ level: 'warn', pretty: true, write: (text) => void process.stderr.write(text) })
const store = await openPostgresStore({ url, onConnectionLost: () => {} })
const stream = { name: 'bench', replicas: 1, maxAgeSeconds: 3_600, maxBytes: 4 * 1024 ** 3 }
const address = { urls: [natsUrl] }
let changes = 0
const look = what === 'relay' ? await carry() : await follow()
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ ...look(), changes, cpuMicroseconds: user + system } satisfies FeedReport)
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })

async function follow() {
  const feed = createNatsFeed({ store, log, address, stream })
  await feed.start()
  feed.subscribe('delivery', { onChanges: (some) => void (changes += some.length), onLost: () => {} })
  return () => ({ number: feed.position.number, state: feed.state() })
}

async function carry() {
  const { packedLog } = store
  if (!packedLog) throw new Error('there is no log to carry')
  const begin = Number((await store.head()).split('.')[0])
  const seals = await loadSeals(store)
  const metrics = { relayed: (count: number) => void (changes += count), fenced: () => {} }
  const relay = startRelay({ store, packedLog, link: keepLink(address, log), stream, seals, metrics, log })
  return () => {
    if (relay.atEndAt() === undefined) relay.wanted()
    return { number: begin + changes, state: relay.atEndAt() === undefined ? 'waits' : 'carries the log' }
  }
}
