import type { WakingClock } from '../run/clock.ts'

/** How a run ended: settled until something changes, to be looked at again, or failed. */
export type Outcome =
  | { readonly kind: 'settled' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface Failure {
  readonly error: unknown
  /** In a row, this one included. */
  readonly failures: number
  readonly waitMs: number
}

export interface WorkQueueOptions {
  /** How many keys at a time. */
  readonly concurrency: number
  readonly clock: WakingClock
  /** Never called for a key that it still works on. Throws nothing. */
  readonly work: (key: string) => Promise<Outcome>
  readonly onFailure?: (key: string, failure: Failure) => void
}

const firstWaitMs = 5
const longestWaitMs = 1_000_000
/** As long as both wait, one of so many is of what was there before. */
const laterEvery = 8

/** Doubles with every failure in a row. */
export function backoffMs(failures: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1))
}

interface Entry {
  failures: number
  isRunning: boolean
  /** Since the present run began. */
  hasChanged: boolean
  /** Nothing is left to come back to when the run ends. */
  isGone: boolean
  /** Takes back the time at which it comes again. */
  cancel: (() => void) | undefined
}

/**
 * Keys to work on, each once however often it changes meanwhile, and never one twice at a time. Every change is followed by a
 * run that begins after it; a failure by one more, later and later. Holds at most an entry for each key.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #entries = new Map<string, Entry>()
  /** First in, first out. */
  readonly #ready = new Set<string>()
  /** What has not changed: whoever changes something does not wait for all that was there before. */
  readonly #later = new Set<string>()
  readonly #idle = Promise.withResolvers<void>()
  #running = 0
  #begun = 0
  #isStopped = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
  }

  /** It has changed: a wait that is under way is over. */
  add(key: string): void {
    if (this.#isStopped) return
    const entry = this.#entries.get(key) ?? newEntry()
    this.#entries.set(key, entry)
    if (entry.isGone) entry.failures = 0
    entry.isGone = false
    this.#wake(key, entry)
  }

  /** It is there, and may need nothing: it has its turn behind what has changed. */
  addLater(key: string): void {
    if (this.#isStopped || this.#later.has(key)) return
    // What is being worked on may be an older state of it.
    if (this.#entries.has(key)) return this.add(key)
    this.#entries.set(key, newEntry())
    this.#later.add(key)
    this.#begin()
  }

  /** It is gone: nothing more is done, what is running apart. */
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

  /** Begins nothing more; resolves when what is running has ended. */
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
    this.#begin()
  }

  #begin(): void {
    while (this.#running < this.#options.concurrency) {
      const key = this.#next()
      if (key === undefined) return
      const entry = this.#entries.get(key)
      if (entry) void this.#run(key, entry)
    }
  }

  #next(): string | undefined {
    const isTurnOfLater = ++this.#begun % laterEvery === 0
    const sets = isTurnOfLater ? [this.#later, this.#ready] : [this.#ready, this.#later]
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
    this.#begin()
  }

  #settle(key: string, entry: Entry, outcome: Outcome): void {
    entry.failures = outcome.kind === 'failed' ? entry.failures + 1 : 0
    const waitMs = waitBehind(outcome, entry.failures)
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

/** Undefined when only a change brings it back. */
function waitBehind(outcome: Outcome, failures: number): number | undefined {
  if (outcome.kind === 'settled') return undefined
  return outcome.kind === 'again' ? outcome.afterMs : backoffMs(failures)
}
