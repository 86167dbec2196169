import { type Change, type HandingOut, ifExpired, type Log, readOn, type Store } from '@pergola/server/feed'
import type { FeedMetrics } from './feed-metrics.ts'
import { unpackMessage, type ChangesMessage } from './message.ts'
import type { Seals } from './seals.ts'
import { isKnown, type Standing } from './standing.ts'

/** Minimum interval between identical log lines. */
const quietMs = 30_000

export interface FeedParts {
  readonly store: Store
  readonly log: Log
  readonly handing: HandingOut
  readonly standing: Standing
  readonly metrics: FeedMetrics
  readonly seals: Seals
  readonly signal: AbortSignal
  /** Serializes messages from NATS and reads of the log: both continue from the same position. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  /** What has been logged already. */
  readonly quiet: { refusedAt?: number; failing?: boolean }
}

/** Handles a message from the stream. Must not throw. */
export async function take(parts: FeedParts, bytes: Buffer): Promise<void> {
  const { handing, standing, metrics, seals, signal } = parts
  const message = unpackMessage(seals, bytes)
  if (!message) return refuse(parts)
  if (signal.aborted) return
  const before = handing.position.number
  if (message.to.number <= before && message.to.number > message.from.number) metrics.droppedDuplicate()
  await fillGap(parts, message)
  if (message.to.number > handing.position.number) await handOutMessage(parts, message)
  if (handing.position.number > before) standing.movedAt = performance.now()
  standing.stream = message.to
  standing.settle()
}

/** Reads changes from the log: those missing before a message and those that did not fit into it. */
async function fillGap(parts: FeedParts, { from, to, changes }: ChangesMessage): Promise<void> {
  const { handing, metrics, signal } = parts
  const isWhole = changes.length === to.number - from.number
  const fits = () => isWhole && isKnown(handing, from)
  if (to.number <= handing.position.number || fits()) return
  metrics.filledGap()
  while (!signal.aborted && handing.position.number < to.number && !fits()) {
    const { number } = handing.position
    await readLog(parts, 0)
    // The log does not reach the message: the message belongs to another history, or the database does not answer.
    if (handing.position.number === number) return
  }
}

/** Hands out the changes that were not handed out before, and only if they continue our own history. */
async function handOutMessage({ store, handing }: FeedParts, { from, changes }: ChangesMessage): Promise<void> {
  if (!isKnown(handing, from)) return
  const fresh: Change[] = []
  for (const { about, data } of changes.slice(handing.position.number - from.number)) {
    const change = store.packedLog?.unpack(about, data)
    if (change) fresh.push(change instanceof Promise ? await change : change)
  }
  const last = fresh.at(-1)
  if (last) await handing.handOut(fresh, last.revision)
}

/** The message comes from another sender or another release. */
export async function refuse({ metrics, seals, log, quiet }: FeedParts): Promise<void> {
  metrics.refusedSeal()
  const now = performance.now()
  if (now - (quiet.refusedAt ?? Number.NEGATIVE_INFINITY) > quietMs) {
    quiet.refusedAt = now
    log.warn('ignored a NATS message with an invalid seal; check who can write to the stream')
  }
  await seals.reload().catch(() => {})
}

/** One read of the log; returns whether it succeeded. */
export async function readLog({ store, handing, log, signal, quiet }: FeedParts, waitMs: number): Promise<boolean> {
  try {
    await readOn(store, handing, { waitMs, signal }).catch(ifExpired(() => handing.startAnew()))
    quiet.failing = false
    return true
  } catch (err) {
    if (!quiet.failing && !signal.aborted) log.warn({ err }, 'failed to read the change log; retrying')
    quiet.failing = true
    return false
  }
}
