import { isApiError, type ApiObject } from '@pergola/api'
import { CachedObjects, type CacheChange } from './cached-objects.ts'
import { deepFreeze } from './deep-freeze.ts'
import { ObjectIndexes, type IndexFunction } from './object-indexes.ts'
import type { Selection } from './query.ts'
import { backoffMs, reasonOf, sleep } from './waiting.ts'
import type { WatchEvent } from './watch-event.ts'

/** Backoff between restarts when the revision expires repeatedly. */
const backoff = { firstMs: 100, mostMs: 15_000 }

export interface CacheOptions<Stored extends ApiObject, Index extends string = never> extends Selection {
  /** Index functions by name. They must be pure: the same object always yields the same values. */
  readonly indexes?: Readonly<Record<Index, IndexFunction<Stored>>> | undefined
  /** Closes the cache when aborted. */
  readonly signal?: AbortSignal | undefined
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * A local copy of all selected objects, kept current by a watch. Objects are frozen and shared. After a disconnect, or when the
 * server no longer keeps the revision, the cache catches up and tells listeners the difference.
 */
export interface Cache<Stored extends ApiObject, Index extends string = never> extends Disposable {
  /** Resolves once all objects are loaded. Rejects when the cache ends first. */
  readonly ready: Promise<void>
  /** Resolves when the cache ends: with the error, or with undefined after `close`. Its objects remain readable. */
  readonly ended: Promise<unknown>
  /** The cache contains every change up to this revision; undefined until ready. */
  readonly revision: string | undefined
  readonly size: number
  get(name: string): Stored | undefined
  items(): readonly Stored[]
  byIndex(index: Index, value: string): readonly Stored[]
  /**
   * Calls the listener once for every later change, right after it was applied. Calling `items()` and `on` in the same
   * synchronous turn misses nothing. Returns a function that unsubscribes.
   */
  on(listener: (change: CacheChange<Stored>) => void): () => void
  /**
   * Resolves with the first result of `look` that is neither undefined nor false. Calls `look` once the cache is ready and
   * again after every change.
   */
  waitFor<Found>(
    look: (cache: Cache<Stored, Index>) => Found | undefined | false,
    options?: WaitOptions,
  ): Promise<Found>
  close(): void
}

/** Opens a watch that starts with the existing objects. */
type WatchPresent<Stored extends ApiObject> = (
  options: Selection & { readonly signal: AbortSignal },
) => AsyncIterable<WatchEvent<Stored>>

export function createCache<Stored extends ApiObject, Index extends string>(
  watch: WatchPresent<Stored>,
  options: CacheOptions<Stored, Index> = {},
): Cache<Stored, Index> {
  const cache = new WatchedCache<Stored, Index>(options.indexes ?? {})
  void cache.follow(watch, options)
  return cache
}

class WatchedCache<Stored extends ApiObject, Index extends string> implements Cache<Stored, Index> {
  readonly ready: Promise<void>
  readonly ended: Promise<unknown>
  revision: string | undefined
  readonly #objects: CachedObjects<Stored>
  readonly #indexes: ObjectIndexes<Stored>
  readonly #listeners = new Set<(change: CacheChange<Stored>) => void>()
  readonly #waits = new Set<Wait>()
  readonly #closing = new AbortController()
  readonly #becomesReady = Promise.withResolvers<void>()
  readonly #ends = Promise.withResolvers<unknown>()
  #over: Error | undefined

  constructor(indexes: Readonly<Record<string, IndexFunction<Stored>>>) {
    this.#objects = new CachedObjects((change) => this.#changed(change))
    this.#indexes = new ObjectIndexes(indexes)
    this.ready = this.#becomesReady.promise
    this.ended = this.#ends.promise
    // Callers that do not await `ready` learn of the error through `ended`.
    this.ready.catch(() => {})
  }

  /** Watches until the cache is closed or the server rejects the watch. */
  async follow(watch: WatchPresent<Stored>, { signal: outer, ...selection }: CacheOptions<Stored>): Promise<void> {
    const { signal } = this.#closing
    const close = () => this.close()
    outer?.addEventListener('abort', close, { once: true })
    if (outer?.aborted) close()
    let error: unknown
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        if (failures > 0) await sleep(backoffMs(backoff, failures), signal)
        this.#objects.beginSnapshot()
        for await (const event of watch({ ...selection, signal })) {
          if (event.type === 'BOOKMARK') failures = 0
          this.#take(event)
        }
      } catch (cause) {
        error = cause
        if (!isApiError(error) || error.reason !== 'RevisionExpired') break
      }
    }
    outer?.removeEventListener('abort', close)
    this.#end(signal.aborted ? undefined : error)
  }

  get size(): number {
    return this.#objects.size
  }

  get(name: string): Stored | undefined {
    return this.#objects.get(name)
  }

  items(): readonly Stored[] {
    return [...this.#objects.values()]
  }

  byIndex(index: Index, value: string): readonly Stored[] {
    return this.#indexes.find(index, value)
  }

  on(listener: (change: CacheChange<Stored>) => void): () => void {
    // Wrapped, so that a function subscribed twice is called twice.
    const own = (change: CacheChange<Stored>) => listener(change)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  waitFor<Found>(
    look: (cache: Cache<Stored, Index>) => Found | undefined | false,
    { signal }: WaitOptions = {},
  ): Promise<Found> {
    return new Promise<Found>((resolve, reject) => {
      const leave = () => {
        this.#waits.delete(wait)
        signal?.removeEventListener('abort', aborted)
      }
      const fail = (error: Error) => {
        leave()
        reject(error)
      }
      const aborted = () => signal && fail(reasonOf(signal))
      const check = () => {
        const found = !this.#objects.isInSnapshot && look(this)
        if (found === undefined || found === false) return
        leave()
        resolve(found)
      }
      const wait = { check: () => attempt(check, fail), fail }
      this.#waits.add(wait)
      signal?.addEventListener('abort', aborted, { once: true })
      if (signal?.aborted) return aborted()
      wait.check()
      if (this.#over) fail(this.#over)
    })
  }

  close(): void {
    this.#closing.abort()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #take(event: WatchEvent<Stored>): void {
    if (event.type === 'RESTARTED') return this.#objects.beginSnapshot()
    if (event.type !== 'BOOKMARK') this.#objects.apply({ type: event.type, object: deepFreeze(event.object) })
    if (event.revision === undefined) return
    // The first revision marks the end of the existing objects.
    if (this.#objects.isInSnapshot) this.#objects.endSnapshot()
    this.revision = event.revision
    this.#becomesReady.resolve()
    for (const wait of this.#waits) wait.check()
  }

  #changed(change: CacheChange<Stored>): void {
    if (change.type !== 'added') this.#indexes.remove(change.previous)
    if (change.type !== 'deleted') this.#indexes.add(change.object)
    // A listener added during this loop is called from the next change on.
    for (const listener of Array.from(this.#listeners)) attempt(() => listener(change), throwLater)
  }

  #end(error: unknown): void {
    this.#over = new Error(error === undefined ? 'the cache was closed' : 'the cache has ended', { cause: error })
    this.#becomesReady.reject(error ?? this.#over)
    this.#ends.resolve(error)
    for (const wait of this.#waits) wait.fail(this.#over)
  }
}

interface Wait {
  readonly check: () => void
  readonly fail: (error: Error) => void
}

function attempt(act: () => void, failed: (error: Error) => void): void {
  try {
    act()
  } catch (error) {
    failed(error instanceof Error ? error : new Error(String(error)))
  }
}

/** An error in a listener does not stop the cache; it surfaces as an uncaught exception. */
function throwLater(error: Error): void {
  queueMicrotask(() => {
    throw error
  })
}
