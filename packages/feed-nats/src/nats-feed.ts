import { setTimeout as sleep } from 'node:timers/promises'
import {
  createHandingOut,
  createTurns,
  type HandingOut,
  type NatsFeed,
  type NatsFeedOptions,
  type PackedLog,
  type StreamSettings,
} from '@pergola/server/feed'
import { consume } from './consume.ts'
import { createFeedMetrics } from './feed-metrics.ts'
import { keepLink, type NatsLink } from './link.ts'
import { keepAsking } from './proofs.ts'
import { startRelay } from './relay.ts'
import { loadSeals, type Seals } from './seals.ts'
import { createStanding, isBrought, type Standing } from './standing.ts'
import { readLog, refuse, take, type FeedParts } from './take.ts'

/** Each read of the log waits this long for changes; messages wait behind it. */
const readMs = 100
const lookMs = 50
const retryMs = 300
/** A consumer that delivers nothing although there are changes is replaced. */
const stuckMs = 2_000

/**
 * Changes arrive by NATS, to which one replica publishes the log. The log stays authoritative: what NATS cannot prove to be
 * complete, authentic and current is read from the log; without NATS, everything is.
 */
export function createNatsFeed({ store, log, address, stream }: NatsFeedOptions): NatsFeed {
  const { packedLog } = store
  if (!packedLog) throw new Error('feed.transport nats needs PostgreSQL: with SQLite there is one replica')
  const stop = new AbortController()
  const handing = createHandingOut(store, log)
  let running: Running | undefined
  return {
    start: async () => {
      const seals = await loadSeals(store)
      await handing.start()
      running = run({ store, packedLog, log, address, stream, seals, handing, signal: stop.signal })
    },
    get position() {
      return handing.position
    },
    recent: (after) => handing.recent(after),
    isCurrent: () => handing.isCurrent(),
    lagMs: () => handing.lagMs(),
    subscribe: (stage, subscriber) => handing.subscribe(stage, subscriber),
    state: () => running?.state() ?? 'not started',
    [Symbol.dispose]: () => stop.abort(),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running?.[Symbol.asyncDispose]()
    },
  }
}

interface Running extends AsyncDisposable {
  state(): string
}

interface RunParts extends NatsFeedOptions {
  readonly packedLog: PackedLog
  readonly seals: Seals
  readonly handing: HandingOut
  readonly signal: AbortSignal
}

function run({ store, packedLog, log, address, stream, seals, handing, signal }: RunParts): Running {
  const standing = createStanding(handing)
  const metrics = createFeedMetrics({
    readsLog: () => standing.readsLog,
    relayLag: () => {
      const at = relay.atEndAt()
      return at === undefined ? undefined : (performance.now() - at) / 1000
    },
  })
  const link = keepLink(address, log)
  const relay = startRelay({ store, packedLog, link, stream, seals, metrics, log })
  const parts: FeedParts = {
    store,
    log,
    handing,
    standing,
    metrics,
    seals,
    signal,
    inTurn: createTurns({ atATime: 1 }).run,
    quiet: {},
  }
  const asking = keepAsking({
    link,
    stream,
    seals,
    signal,
    onProof: (position, askedAt) => standing.told(position, askedAt),
    onSilence: () => relay.wanted(),
    onRefused: () => void refuse(parts),
  })
  const consuming = keepConsuming(parts, { link, stream })
  const reading = readWhenNeeded(parts)
  return {
    state: () => stateOf(standing, relay.atEndAt() !== undefined),
    [Symbol.asyncDispose]: async () => {
      await relay[Symbol.asyncDispose]()
      await link[Symbol.asyncDispose]()
      // Does not wait for a statement that hangs.
      await Promise.race([Promise.all([asking, consuming, reading]), sleep(1_000, undefined, { ref: false })])
    },
  }
}

interface Consuming {
  readonly link: NatsLink
  readonly stream: StreamSettings
}

/** Replaces consumers as needed while there is a connection. */
async function keepConsuming(parts: FeedParts, { link, stream }: Consuming): Promise<void> {
  const { standing, signal } = parts
  while (!signal.aborted) {
    const connection = link.connection()
    const given = new AbortController()
    let isBusy = false
    let heardAt = performance.now()
    const watch = setInterval(() => {
      const isSilent = !isBusy && performance.now() - heardAt > stuckMs
      if (isSilent && standing.late() > stuckMs) given.abort()
    }, lookMs)
    const onMessage = async (bytes: Buffer) => {
      isBusy = true
      await parts.inTurn(() => take(parts, bytes)).finally(() => (isBusy = false))
      heardAt = performance.now()
    }
    // The link, or the relay, which creates the stream, reports the reason.
    if (connection)
      await consume(connection, { stream, onMessage, signal: AbortSignal.any([signal, given.signal]) }).catch(() => {})
    clearInterval(watch)
    await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Reads the log while NATS does not prove that it has delivered everything. */
async function readWhenNeeded(parts: FeedParts): Promise<void> {
  const { standing, metrics, signal, inTurn } = parts
  while (!signal.aborted) {
    if (isBrought(standing, performance.now())) {
      standing.readsLog = false
      await sleep(lookMs, undefined, { signal, ref: false }).catch(() => {})
      continue
    }
    if (!standing.readsLog) metrics.fellBack()
    standing.readsLog = true
    const wasRead = await inTurn(() => readLog(parts, readMs))
    if (!wasRead) await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

function stateOf(standing: Standing, carriesLog: boolean): string {
  const carrying = carriesLog ? ', and this replica carries the log there' : ''
  return standing.readsLog
    ? `NATS does not deliver every change; changes are read from the database${carrying}`
    : `by NATS${carrying}`
}
