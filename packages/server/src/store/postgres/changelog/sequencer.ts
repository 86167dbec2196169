import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { Place } from '../../store.ts'
import { isNoPartition } from './log-partitions.ts'
import { renewSequencer, truncateDrained } from './pending-ring.ts'

/** After a commit, so that one pass serves many. */
const debounceMs = 4
/** Between two passes while commits keep coming: each costs a flush of the log that writers wait behind. */
const steadyMs = 10
/** When another replica is at it: our own changes may have come too late for its pass. */
const busyRetryMs = 10
/** For what a replica left behind that died between its commit and its pass: so long after the last pass that moved any. */
const settledMs = 500
/** And from then on. */
const idleMs = 1_000
/** Passes of others are no reason to do none for longer: what is seen of them may be old. */
const usualOwnMs = 10_000

/**
 * Puts committed changes in order: moves them from `pending_changes` into `change_order`, with dense revisions. Any
 * replica may do it at any time, one at a time, and none has to: the next pass takes what the last one left.
 *
 * Right because a snapshot that shows an object's later change shows the earlier one too (row locks are released after
 * the commit is visible), because each pass takes what is visible in id order, and because ids are drawn under the row
 * lock. No transaction ids, no gaps to wait for.
 */
export interface Sequencer extends AsyncDisposable {
  /** Says that something was committed here: there is a pass that begins after it, whatever others do. */
  poke(): void
  /** Says that a change with this number was read. One that is new tells of a pass, which took all that had been left. */
  saw(number: number): void
  /** Says that another replica has put something in order: whoever waits for a pass looks now. */
  told(): void
  /** How many there were, here or told of. */
  readonly passes: number
  /** The newest place when the last pass here began that found nothing to do. */
  readonly idle: IdlePlace | undefined
  /** Resolves after the next pass, here or told of, or after `waitMs`; answers whether there was one. */
  nextPass(waitMs: number, signal?: AbortSignal): Promise<boolean>
}

/** Nothing lies behind the place, as at that moment. */
interface IdlePlace extends Place {
  readonly at: number
  /** How many there had been with it; one more, and it says nothing. */
  readonly passes: number
}

export interface SequencerOptions {
  /** Sees to it that there is room for the changes to come; called after so many. */
  readonly makeRoom: () => Promise<void>
  readonly roomEvery: number
  /** A pass moves at most this many changes, the lowest visible ids first; there is always room for so many. */
  readonly passLimit: number
  /** There is a pass so often at least, whatever is seen of others; 10 seconds, unless it is said. */
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

  // Only ever brought forward: put off by every commit, a steady load would keep the pass from running at all.
  let dueAt = Number.POSITIVE_INFINITY
  const schedule = (delayMs: number) => {
    const at = performance.now() + delayMs
    if (stopped || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(start, delayMs)
    timer.unref()
  }
  /** The next pass is for something that may be ours, or is known to be there; it must not be left to others. */
  let isOwed = true
  let ranAt = Number.NEGATIVE_INFINITY
  let newest = -1
  let idle: IdlePlace | undefined
  let sawAt = Number.NEGATIVE_INFINITY
  const start = () => {
    dueAt = Number.POSITIVE_INFINITY
    if (running) return
    // A replica that only follows would otherwise do a pass a second, each with a flush, beside those of whoever writes.
    const untilMs = Math.min(sawAt + settledMs, ranAt + ownMs) - performance.now()
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
    // By now: who has committed while we tidied was not in the pass.
    const pause = pauseAfter(moved, { isOwed, passLimit })
    isOwed ||= moved === undefined || moved === 'busy' || moved === passLimit
    schedule(pause)
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
      if (running === undefined) schedule(debounceMs)
    },
    saw: (number) => {
      if (number <= newest) return
      newest = number
      sawAt = performance.now()
    },
    nextPass: (waitMs, signal) => untilPass(events, waitMs, signal),
    [Symbol.asyncDispose]: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

function pauseAfter(
  moved: number | 'busy' | undefined,
  { isOwed, passLimit }: { readonly isOwed: boolean; readonly passLimit: number },
): number {
  if (moved === undefined) return idleMs
  if (moved === 'busy') return busyRetryMs
  if (moved === passLimit) return 0
  if (isOwed) return steadyMs
  return moved > 0 ? settledMs : idleMs
}

/** What has to be done now and then behind a pass. */
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
  /** How many changes it put in order, or that somebody else is at it. */
  readonly moved: number | 'busy'
  /** The newest one when it began; none while the table is written anew. */
  readonly place: Place | undefined
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
