import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { LogPosition } from '../../store.ts'
import { isNoPartition } from './log-partitions.ts'
import { renewSequencer, truncateDrained } from './pending-ring.ts'

/** Passes for changes of this replica begin this far apart: a pass costs as much as a write, so under load it serves many. */
const betweenMs = 8
/** Retry delay when another replica is running a pass: our changes may have come too late for it. */
const busyRetryMs = 10
/** Delay after the last pass that moved changes, to pick up changes of a replica that died between its commit and its pass. */
const settledMs = 500
/** Interval of passes from then on. */
const idleMs = 1_000
/** Own passes run at least this often, even if other replicas run theirs: an observed pass may be old. */
const usualOwnMs = 10_000

/**
 * Puts committed changes in order: moves them from `pending_changes` into `change_order`, with dense revisions. Any replica may
 * run a pass at any time, one at a time; the next pass takes what the last one left.
 *
 * Correct because a snapshot that shows an object's later change also shows the earlier one (row locks are released after the
 * commit is visible), because each pass takes visible changes in id order, and because ids are drawn under the row lock. It
 * needs no transaction ids and waits for no gaps.
 */
export interface Sequencer extends AsyncDisposable {
  /** Call after a commit here: guarantees a pass that begins after it, whatever other replicas do. */
  poke(): void
  /** Call when a change with this number was read. A new number implies a recent pass, which took everything pending. */
  saw(number: number): void
  /** Call when another replica has run a pass: wakes readers that wait for a pass. */
  told(): void
  /** The number of passes so far, here or notified. */
  readonly passes: number
  /** The newest position at the start of the last idle pass here. */
  readonly idle: IdlePosition | undefined
  /** Resolves after the next pass, here or notified, or after `waitMs`; returns whether there was a pass. */
  nextPass(waitMs: number, signal?: AbortSignal): Promise<boolean>
}

/** A position behind which nothing was pending at that moment. */
interface IdlePosition extends LogPosition {
  readonly at: number
  /** The number of passes including this one; a later pass invalidates it. */
  readonly passes: number
}

export interface SequencerOptions {
  /** Creates log partitions for coming changes; called after every `roomEvery` changes. */
  readonly makeRoom: () => Promise<void>
  readonly roomEvery: number
  /** Maximum number of changes per pass, lowest visible ids first. The partitions always have room for this many. */
  readonly passLimit: number
  /** Maximum time between own passes, whatever passes of others are observed; 10 seconds by default. */
  readonly ownMs?: number
  readonly onError: (error: Error) => void
}

export function startSequencer(pool: Pool, options: SequencerOptions): Sequencer {
  const events = new EventTarget()
  const tidy = createTidying(pool, options)
  const { passLimit, ownMs = usualOwnMs } = options
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false
  let passCount = 0

  // A commit may only bring the next pass forward: if every commit delayed it, a steady load would keep the pass from ever running.
  let dueAt = Number.POSITIVE_INFINITY
  const schedule = (delayMs: number) => {
    const at = performance.now() + delayMs
    if (stopped || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(start, delayMs)
    timer.unref()
  }
  /** The next pass is for changes that may be ours or are known to exist, so other replicas cannot replace it. */
  let isOwed = true
  let ranAt = Number.NEGATIVE_INFINITY
  let newest = { number: -1, sawAt: Number.NEGATIVE_INFINITY }
  let idle: IdlePosition | undefined
  const untilNext = () => Math.max(0, ranAt + betweenMs - performance.now())
  const start = () => {
    clearTimeout(timer)
    dueAt = Number.POSITIVE_INFINITY
    if (running || stopped) return
    // Otherwise a replica that only reads would run a pass every second, each with a flush.
    const untilMs = Math.min(newest.sawAt + settledMs, ranAt + ownMs) - performance.now()
    if (!isOwed && untilMs > 0) return schedule(untilMs)
    running = run().finally(() => (running = undefined))
  }
  const run = async () => {
    isOwed = false
    ranAt = performance.now()
    let moved: number | 'busy' | undefined
    try {
      const pass = await sequencePass(pool, options)
      ;({ moved } = pass)
      passCount++
      if (moved === 0 && pass.place) idle = { ...pass.place, at: ranAt, passes: passCount }
      events.dispatchEvent(new Event('pass'))
      await tidy(moved, passCount)
    } catch (error) {
      if (!stopped) options.onError(error as Error)
    }
    // Read now: commits made during maintenance were not in the pass.
    const hasMore = isOwed && typeof moved === 'number'
    isOwed ||= moved === undefined || moved === 'busy' || moved === passLimit
    const pause = pauseAfter(moved, passLimit)
    schedule(hasMore ? Math.min(pause, untilNext()) : pause)
  }
  schedule(0)

  return {
    get passes() {
      return passCount
    },
    get idle() {
      return idle
    },
    told: () => {
      passCount++
      events.dispatchEvent(new Event('pass'))
    },
    poke: () => {
      isOwed = true
      if (running !== undefined) return
      const pause = untilNext()
      if (pause > 0) schedule(pause)
      else start()
    },
    saw: (number) => {
      if (number > newest.number) newest = { number, sawAt: performance.now() }
    },
    nextPass: (waitMs, signal) => untilPass(events, waitMs, signal),
    [Symbol.asyncDispose]: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

function pauseAfter(moved: number | 'busy' | undefined, passLimit: number): number {
  if (moved === undefined) return idleMs
  if (moved === 'busy') return busyRetryMs
  if (moved === passLimit) return 0
  return moved > 0 ? settledMs : idleMs
}

/** Maintenance that runs now and then after a pass. */
function createTidying(pool: Pool, { roomEvery, makeRoom }: SequencerOptions) {
  let sinceRoom = 0
  let hasDeadRows = false
  return async (moved: number | 'busy', passCount: number): Promise<void> => {
    if (moved !== 'busy') sinceRoom += moved
    if (sinceRoom >= roomEvery) {
      sinceRoom = 0
      await makeRoom()
    }
    const idle = moved === 0 && hasDeadRows
    if (passCount % 100 === 0 || idle) {
      await truncateDrained(pool, { idle })
      await renewSequencer(pool)
    }
    if (moved !== 'busy') hasDeadRows = moved > 0
  }
}

function untilPass(events: EventTarget, waitMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (passed: boolean) => {
      clearTimeout(limit)
      events.removeEventListener('pass', onPass)
      signal?.removeEventListener('abort', onAbort)
      resolve(passed)
    }
    const onPass = () => end(true)
    const onAbort = () => end(false)
    const limit = setTimeout(onAbort, waitMs)
    events.addEventListener('pass', onPass, { once: true })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

interface Pass {
  /** The number of changes put in order, or `busy` when another replica is running a pass. */
  readonly moved: number | 'busy'
  /** The newest position when the pass began; undefined while the table is being rewritten. */
  readonly place: LogPosition | undefined
}

/** One pass in one round trip. */
async function sequencePass(pool: Pool, { makeRoom, passLimit }: SequencerOptions): Promise<Pass> {
  const pass = () =>
    pool.query<{ moved: number | null; place: string | null }>({
      name: 'sequence',
      text: `SELECT sequence_changes($1, $2) AS moved, (SELECT concat_ws(' ', revision, tag) FROM sequencer) AS place`,
      values: [passLimit, randomBytes(6).readUIntBE(0, 6)],
    })
  const { rows } = await pass().catch(async (error: unknown) => {
    if (!isNoPartition(error)) throw error
    await makeRoom()
    return pass()
  })
  const [number, tag] = rows[0]?.place?.split(' ') ?? []
  const place = number === undefined || tag === undefined ? undefined : { number: Number(number), tag }
  return { moved: rows[0]?.moved ?? 'busy', place }
}
