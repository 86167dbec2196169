import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { isNoPartition } from './log-partitions.ts'
import { renewSequencer, truncateDrained } from './pending-ring.ts'

/** After a commit, so that one pass serves many. */
const debounceMs = 4
/** Between two passes while commits keep coming: each costs a flush of the log that writers wait behind. */
const steadyMs = 10
/** When another replica is at it: our own changes may have come too late for its pass. */
const busyRetryMs = 10
/** For what a replica left behind that died between its commit and its pass. */
const idleMs = 1_000

/**
 * Puts committed changes in order: moves them from `pending_changes` into `change_order`, with dense revisions. Any
 * replica may do it at any time, one at a time, and none has to: the next pass takes what the last one left.
 *
 * Right because a snapshot that shows an object's later change shows the earlier one too (row locks are released after
 * the commit is visible), because each pass takes what is visible in id order, and because ids are drawn under the row
 * lock. No transaction ids, no gaps to wait for.
 */
export interface Sequencer extends AsyncDisposable {
  /** Says that something was committed. */
  poke(): void
  /** Resolves after the next pass, or after `waitMs`. */
  nextPass(waitMs: number, signal?: AbortSignal): Promise<void>
}

export interface SequencerOptions {
  /** Sees to it that there is room for the changes to come; called after so many. */
  readonly makeRoom: () => Promise<void>
  readonly roomEvery: number
  /** A pass moves at most this many changes, the lowest visible ids first; there is always room for so many. */
  readonly passLimit: number
  readonly onError: (error: Error) => void
}

export function startSequencer(pool: Pool, options: SequencerOptions): Sequencer {
  const passes = new EventTarget()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false
  let passCount = 0
  let sinceRoom = 0
  let hasDeadRows = false

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
  const start = () => {
    dueAt = Number.POSITIVE_INFINITY
    running ??= run().finally(() => {
      running = undefined
    })
  }
  let pokedWhileRunning = false
  const run = async () => {
    pokedWhileRunning = false
    let next = idleMs
    try {
      const moved = await sequencePass(pool, options)
      if (moved === 'busy') next = busyRetryMs
      else if (moved === options.passLimit) next = 0
      else if (pokedWhileRunning) next = steadyMs
      passes.dispatchEvent(new Event('pass'))
      if (moved !== 'busy') sinceRoom += moved
      if (sinceRoom >= options.roomEvery) {
        sinceRoom = 0
        await options.makeRoom()
      }
      const idle = moved === 0 && hasDeadRows
      if (++passCount % 100 === 0 || idle) {
        await truncateDrained(pool, { idle })
        await renewSequencer(pool)
      }
      if (moved !== 'busy') hasDeadRows = moved > 0
    } catch (error) {
      if (!stopped) options.onError(error as Error)
    }
    schedule(next)
  }
  schedule(0)

  return {
    poke: () => {
      pokedWhileRunning = true
      if (running === undefined) schedule(debounceMs)
    },
    nextPass: (waitMs, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(limit)
          passes.removeEventListener('pass', done)
          signal?.removeEventListener('abort', done)
          resolve()
        }
        const limit = setTimeout(done, waitMs)
        passes.addEventListener('pass', done, { once: true })
        signal?.addEventListener('abort', done, { once: true })
      }),
    [Symbol.asyncDispose]: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** One pass in one round trip; answers how many changes it put in order, or that somebody else is at it. */
async function sequencePass(pool: Pool, { makeRoom, passLimit }: SequencerOptions): Promise<number | 'busy'> {
  const pass = () =>
    pool.query<{ moved: number | null }>({
      name: 'sequence',
      text: 'SELECT sequence_changes($1, $2) AS moved',
      values: [passLimit, randomBytes(6).readUIntBE(0, 6)],
    })
  const { rows } = await pass().catch(async (error: unknown) => {
    if (!isNoPartition(error)) throw error
    await makeRoom()
    return pass()
  })
  return rows[0]?.moved ?? 'busy'
}
