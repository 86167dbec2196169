import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError } from '@pergola/api'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import {
  encodeRevision,
  isFullBatch,
  type Lease,
  type Log,
  type PackedChange,
  type PackedLog,
  type LogPosition,
  positionOf,
  type Revision,
  type Store,
  type StreamSettings,
} from '@pergola/server/feed'
import type { FeedMetrics } from './feed-metrics.ts'
import type { NatsLink } from './link.ts'
import { nonceBytes, packMessages, packPosition, packProof, unpackMessage } from './message.ts'
import type { Seals } from './seals.ts'
import { isFenced, streamOf, subjectsOf, type NatsStream } from './stream.ts'

/** Lease of the relay; other replicas read the log themselves long before it expires. */
const leaseMs = 5_000
const renewMs = 1_500
/** Minimum interval between attempts to acquire the lease while no replica answers. */
const askMs = 700
const retryMs = 300
/** How long a read waits for changes; the maximum age of an answer about the log's position. */
const waitMs = 200
/** Pause between reads under load: more changes then share the fixed costs of a read and a message. */
const tickMs = 40
const batch = { limit: 2_000, maxBytes: 2 * 1024 * 1024 }
/** Larger messages save nothing, and a server with default limits could not return them in one answer. */
const maxMessageBytes = 512 * 1024
const headroomBytes = 1_024
/** Maximum number of waiting questions; further ones are dropped, and their replicas ask again. */
const mostWaiting = 10_000

export interface RelayParts {
  readonly store: Store
  readonly packedLog: PackedLog
  readonly link: NatsLink
  readonly stream: StreamSettings
  readonly seals: Seals
  readonly metrics: Pick<FeedMetrics, 'relayed' | 'fenced'>
  readonly log: Log
}

/** Publishes the log to NATS, on one replica at a time: the holder of the lease. */
export interface Relay extends AsyncDisposable {
  /** Call if no replica seems to run the relay. */
  wanted(): void
  /** When the relay was last at the end of the log; undefined while it runs elsewhere. */
  atEndAt(): number | undefined
}

export function startRelay(parts: RelayParts): Relay {
  const stop = new AbortController()
  const holder = randomUUID()
  let isWanted = true
  let isFailing = false
  let atEndAt: number | undefined
  const name = `feed relay ${parts.stream.name}`
  const hold = async (lease: Lease, connection: NatsConnection) => {
    const term = new AbortController()
    const signal = AbortSignal.any([stop.signal, term.signal])
    const renewing = renew(parts.store, { name, holder, signal }).finally(() => term.abort())
    parts.log.info('this replica publishes the change log to NATS')
    try {
      const onEnd = (at: number) => {
        atEndAt = at
        isFailing = false
      }
      await serveTerm({ ...parts, connection, signal, onEnd })
    } finally {
      atEndAt = undefined
      term.abort()
      await renewing
      await parts.store.releaseLease(lease).catch(() => {})
    }
  }
  const attempt = async () => {
    const connection = parts.link.connection()
    if (!connection || !isWanted) return
    const lease = await parts.store.acquireLease(name, { holder, ttlMs: leaseMs })
    isWanted = false
    if (lease) await hold(lease, connection)
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      await attempt().catch((err: unknown) => {
        if (stop.signal.aborted) return
        isWanted = true
        if (isFenced(err)) return parts.metrics.fenced()
        if (!isFailing) parts.log.warn({ err }, 'failed to publish the change log to NATS; retrying')
        isFailing = true
      })
      const pause = isWanted ? retryMs : askMs
      await sleep(pause * (0.5 + Math.random()), undefined, { signal: stop.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return {
    wanted: () => {
      isWanted = true
    },
    atEndAt: () => atEndAt,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await Promise.race([running, sleep(1_000, undefined, { ref: false })])
    },
  }
}

interface Renewing {
  readonly name: string
  readonly holder: string
  readonly signal: AbortSignal
}

/** Resolves when this replica no longer holds the lease. */
async function renew(store: Store, { name, holder, signal }: Renewing): Promise<void> {
  let heldUntil = performance.now() + leaseMs
  for (;;) {
    await sleep(renewMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted || performance.now() > heldUntil) return
    const began = performance.now()
    try {
      if (!(await store.acquireLease(name, { holder, ttlMs: leaseMs }))) return
      heldUntil = began + leaseMs
    } catch {
      // The database may be available again before the lease expires.
    }
  }
}

interface TermParts extends RelayParts {
  readonly connection: NatsConnection
  readonly signal: AbortSignal
  readonly onEnd: (at: number) => void
}

/** A term of the relay, with the stream that it appends to. */
interface OpenTerm extends TermParts {
  readonly opened: NatsStream
}

/** Runs from resuming at the end of the stream until an error; the next term examines the stream first. */
async function serveTerm(given: TermParts): Promise<void> {
  const { packedLog, link, connection, signal } = given
  const parts: OpenTerm = { ...given, opened: streamOf(connection, given.stream) }
  using asked = takeQuestions(parts)
  let position = await resume(parts)
  // A replica that loses NATS releases the lease: another replica may still reach NATS.
  while (!signal.aborted && link.connection() === connection) {
    const began = performance.now()
    const changes = await packedLog.read(position.revision, { ...batch, waitMs, signal }).catch(ifExpired)
    if (signal.aborted) return
    position = changes ? await send(parts, position, changes) : await beginAnew(parts, position.sequence)
    if (!changes || isFullBatch(changes, batch)) continue
    asked.answer(began, positionOf(position.revision))
    parts.onEnd(began)
    if (changes.length > 0) await sleep(tickMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Returns the new position. */
async function send(
  parts: OpenTerm,
  position: RelayPosition,
  changes: readonly PackedChange[],
): Promise<RelayPosition> {
  const { connection, stream, seals, metrics, opened } = parts
  const room = Math.min(maxMessageBytes, (connection.info?.max_payload ?? maxMessageBytes) - headroomBytes)
  let { revision, sequence } = position
  for (const message of packMessages(positionOf(revision), changes, room)) {
    sequence = await opened.append(subjectFor(stream, message.changes), seals.seal(message.bytes), sequence)
    revision = revisionOf(message.to)
    metrics.relayed(message.changes.length)
  }
  return { revision, sequence }
}

function subjectFor(stream: StreamSettings, changes: readonly PackedChange[]): string {
  const subjects = subjectsOf(stream)
  const [first = subjects.mixed, ...others] = new Set(changes.map(({ model }) => subjects.shard(model)))
  return others.length === 0 ? first : subjects.mixed
}

interface RelayPosition {
  readonly revision: Revision
  readonly sequence: number
}

/** Continues after the newest message, if it is authentic and belongs to the database's history. */
async function resume(parts: OpenTerm): Promise<RelayPosition> {
  const { seals, packedLog, opened } = parts
  const { sequence, newest } = await opened.open()
  const message = newest && unpackMessage(seals, newest)
  if (!message) return beginAnew(parts, sequence)
  const revision = revisionOf(message.to)
  const proven = await packedLog.read(revision, { limit: 1, waitMs: 0 }).catch(ifExpired)
  return proven ? { revision, sequence } : beginAnew(parts, sequence)
}

/** Discards the stream's content and starts at the current end of the log. */
async function beginAnew({ stream, seals, store, log, opened }: OpenTerm, expected: number): Promise<RelayPosition> {
  log.info('resetting the NATS stream to the end of the change log')
  await opened.empty()
  const revision = await store.head()
  const bytes = seals.seal(packPosition(positionOf(revision)))
  return { revision, sequence: await opened.append(subjectsOf(stream).mixed, bytes, expected) }
}

interface Questions extends Disposable {
  /** Answers all questions asked before that moment with the log's position at that moment. */
  answer(before: number, position: LogPosition): void
}

/** Collects questions for the log's position, each with a nonce, to answer after the next read of the log. */
function takeQuestions({ connection, stream, seals }: TermParts): Questions {
  let waiting: { readonly at: number; readonly message: Msg }[] = []
  const subscription = connection.subscribe(subjectsOf(stream).proof, {
    callback: (error, message) => {
      if (error || message.data.length !== nonceBytes || waiting.length >= mostWaiting) return
      waiting.push({ at: performance.now(), message })
    },
  })
  return {
    answer: (before, position) => {
      for (const { at, message } of waiting) {
        if (at <= before) message.respond(seals.seal(packProof(Buffer.from(message.data), position)))
      }
      waiting = waiting.filter(({ at }) => at > before)
    },
    [Symbol.dispose]: () => subscription.unsubscribe(),
  }
}

/** The log never had that position, or no longer has it. */
function ifExpired(error: unknown): undefined {
  if (!isApiError(error) || error.reason !== 'RevisionExpired') throw error
}

function revisionOf(position: LogPosition): Revision {
  return encodeRevision({ ...position, skipped: [] })
}
