import type { WakingClock } from '../run/clock.ts'

/** Result of a run: nothing to do until the next change, run again after a delay, or failed. */
export type Outcome =
  | { readonly kind: 'settled' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface Failure {
  readonly error: unknown
  /** Consecutive failures, including this one. */
  readonly failures: number
  readonly waitMs: number
}

export interface WorkQueueOptions {
  /** Maximum number of keys that run in parallel. */
  readonly concurrency: number
  readonly clock: WakingClock
  /** Never called for a key whose previous call has not finished. Must not throw. */
  readonly work: (key: string) => Promise<Outcome>
  readonly onFailure?: (key: string, failure: Failure) => void
}

const firstWaitMs = 5
const longestWaitMs = 1_000_000
/** While both queues are non-empty, every eighth run takes a key of the initial list. */
const laterEvery = 8

/** Doubles with every consecutive failure. */
export function backoffMs(failures: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1))
}

interface Entry {
  failures: number
  isRunning: boolean
  /** The key was added again during the current run. */
  hasChanged: boolean
  /** The key was forgotten during the current run. */
  isGone: boolean
  /** Cancels the scheduled run. */
  cancel: (() => void) | undefined
}

/**
 * Deduplicating work queue: a key waits at most once and never runs twice in parallel. Every change starts a run. A failed run
 * is retried with exponential backoff. The queue has at most one entry per key.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #entries = new Map<string, Entry>()
  /** Changed keys, first in, first out. */
  readonly #ready = new Set<string>()
  /** Keys from the initial list. Changed keys take precedence over them. */
  readonly #later = new Set<string>()
  readonly #idle = Promise.withResolvers<void>()
  #running = 0
  #picks = 0
  #isStopped = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
  }

  /** Adds a changed key and cancels its pending delay. */
  add(key: string): void {
    if (this.#isStopped) return
    const entry = this.#entries.get(key) ?? newEntry()
    this.#entries.set(key, entry)
    if (entry.isGone) entry.failures = 0
    entry.isGone = false
    this.#wake(key, entry)
  }

  /** Adds a key of the initial list. Changed keys run before it. */
  addLater(key: string): void {
    if (this.#isStopped || this.#later.has(key)) return
    // The current run may have seen an older state.
    if (this.#entries.has(key)) return this.add(key)
    this.#entries.set(key, newEntry())
    this.#later.add(key)
    this.#startRuns()
  }

  /** Drops the key. A current run is not interrupted. */
  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    entry.cancel?.()
    this.#ready.delete(key)
    this.#later.delete(key)
    entry.hasChanged = false
    entry.isGone = true
    if (!entry.isRunning) this.#entries.delete(key)
  }

  /** Starts no more runs; resolves when the current ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#ready.clear()
    this.#later.clear()
    for (const { cancel } of this.#entries.values()) cancel?.()
    if (this.#running === 0) this.#idle.resolve()
    await this.#idle.promise
  }

  #wake(key: string, entry: Entry): void {
    entry.cancel?.()
    entry.cancel = undefined
    if (entry.isRunning) entry.hasChanged = true
    else this.#ready.add(key)
    this.#startRuns()
  }

  #startRuns(): void {
    while (this.#running < this.#options.concurrency) {
      const key = this.#next()
      if (key === undefined) return
      const entry = this.#entries.get(key)
      if (entry) void this.#run(key, entry)
    }
  }

  #next(): string | undefined {
    const isLaterFirst = ++this.#picks % laterEvery === 0
    const sets = isLaterFirst ? [this.#later, this.#ready] : [this.#ready, this.#later]
    for (const keys of sets) {
      for (const key of keys) {
        this.#ready.delete(key)
        this.#later.delete(key)
        return key
      }
    }
    return undefined
  }

  async #run(key: string, entry: Entry): Promise<void> {
    this.#running++
    entry.isRunning = true
    const outcome = await this.#options.work(key)
    this.#running--
    entry.isRunning = false
    if (this.#isStopped) return this.#running === 0 ? this.#idle.resolve() : undefined
    this.#settle(key, entry, outcome)
    this.#startRuns()
  }

  #settle(key: string, entry: Entry, outcome: Outcome): void {
    entry.failures = outcome.kind === 'failed' ? entry.failures + 1 : 0
    const waitMs = delayAfter(outcome, entry.failures)
    if (outcome.kind === 'failed' && !entry.isGone) {
      const { failures } = entry
      this.#options.onFailure?.(key, { error: outcome.error, failures, waitMs: entry.hasChanged ? 0 : (waitMs ?? 0) })
    }
    if (entry.hasChanged) {
      entry.hasChanged = false
      this.#ready.add(key)
    } else if (waitMs === undefined || entry.isGone) this.#entries.delete(key)
    else entry.cancel = this.#options.clock.after(waitMs, () => this.#wake(key, entry))
  }
}

function newEntry(): Entry {
  return { failures: 0, isRunning: false, hasChanged: false, isGone: false, cancel: undefined }
}

/** Delay before the next run; undefined when only a change triggers one. */
function delayAfter(outcome: Outcome, failures: number): number | undefined {
  if (outcome.kind === 'settled') return undefined
  return outcome.kind === 'again' ? outcome.afterMs : backoffMs(failures)
}
