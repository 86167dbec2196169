import { ApiError, type ApiObject } from '@pergola/api'
import type { Cache } from '../cache.ts'
import type { Resource } from '../resource.ts'
import type { CollectionOptions } from './collection-options.ts'
import type { ListOptions } from './list-options.ts'
import { selectionOf, type LooseListOptions } from './selection.ts'

export interface LiveOptions<Fields> extends ListOptions<Fields> {
  /** Closes the list when aborted. */
  readonly signal?: AbortSignal
}

/** The selected objects, sorted and kept current. Objects are frozen and shared. */
export interface Live<Stored> extends Disposable {
  /** Empty until ready. A new array after each change. */
  readonly items: readonly Stored[]
  /** Resolves once all objects are loaded. Rejects when the list ends first. */
  readonly ready: Promise<void>
  /** Resolves when the list ends: with the error, or with undefined after `close`. */
  readonly ended: Promise<unknown>
  /**
   * Calls the listener with all objects once they are loaded and again after changes; several changes at once cause one call.
   * Returns a function that unsubscribes.
   */
  subscribe(listener: (items: readonly Stored[]) => void): () => void
  close(): void
}

export interface LooseLiveOptions extends LooseListOptions {
  readonly signal?: AbortSignal
}

export function createLive<Stored extends ApiObject>(
  resource: Pick<Resource<Stored>, 'cache'>,
  { signal: own, ...options }: LooseLiveOptions,
  { whole = (object) => object, signal }: CollectionOptions<Stored>,
): Live<Stored> {
  const selection = selectionOf(options)
  if (!selection) throw new ApiError('BadRequest', '{ in: [] } matches no object; there is nothing to follow')
  const compare = comparisonOf<Stored>([options.sort ?? []].flat())
  const either = own && signal ? AbortSignal.any([own, signal]) : (own ?? signal)
  return new CachedLive(resource.cache({ ...selection, signal: either }), (objects) =>
    objects.map((object) => whole(object)).toSorted(compare),
  )
}

class CachedLive<Stored extends ApiObject> implements Live<Stored> {
  readonly ready: Promise<void>
  readonly ended: Promise<unknown>
  readonly #cache: Cache<Stored>
  readonly #inOrder: (objects: readonly Stored[]) => readonly Stored[]
  readonly #listeners = new Set<(items: readonly Stored[]) => void>()
  /** Sorted objects; undefined after a change. */
  #items: readonly Stored[] | undefined
  #isReady = false
  #willTell = false

  constructor(cache: Cache<Stored>, inOrder: (objects: readonly Stored[]) => readonly Stored[]) {
    this.#cache = cache
    this.#inOrder = inOrder
    this.ended = cache.ended
    this.ready = this.#begin()
    // Callers that do not await `ready` learn of the error through `ended`.
    this.ready.catch(() => {})
    cache.on(() => this.#isReady && this.#changed())
  }

  get items(): readonly Stored[] {
    if (!this.#isReady) return []
    this.#items ??= this.#inOrder(this.#cache.items())
    return this.#items
  }

  subscribe(listener: (items: readonly Stored[]) => void): () => void {
    // Wrapped, so that a function subscribed twice is called twice.
    const one = (items: readonly Stored[]) => listener(items)
    this.#listeners.add(one)
    if (this.#isReady) queueMicrotask(() => this.#listeners.has(one) && one(this.items))
    return () => void this.#listeners.delete(one)
  }

  close(): void {
    this.#cache.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  async #begin(): Promise<void> {
    await this.#cache.ready
    this.#isReady = true
    this.#changed()
  }

  #changed(): void {
    this.#items = undefined
    if (this.#willTell) return
    this.#willTell = true
    queueMicrotask(() => {
      this.#willTell = false
      for (const listener of Array.from(this.#listeners)) listener(this.items)
    })
  }
}

type Compare<Stored> = (one: Stored, other: Stored) => number

/**
 * The server's order: objects without a value come first when ascending, last when descending; ties follow the time of creation, in
 * the direction of the last key.
 */
function comparisonOf<Stored extends ApiObject>(keys: readonly string[]): Compare<Stored> {
  const wanted = keys.map((key) => {
    const [field = '', direction = 'asc'] = key.split(/[ ,]/)
    if (!field.includes('.')) {
      throw new ApiError('BadRequest', `live objects can be sorted only by their fields; "${field}" is not a field`)
    }
    return { path: field.split('.'), sign: direction === 'desc' ? -1 : 1 }
  })
  return (one, other) => {
    for (const { path, sign } of wanted) {
      const [a, b] = [valueAt(one, path), valueAt(other, path)]
      if (a === b) continue
      if (a === undefined || b === undefined) return a === undefined ? -sign : sign
      return a < b ? -sign : sign
    }
    // Without a key, the newest come first.
    const last = wanted.at(-1)?.sign ?? -1
    return one.metadata.uid < other.metadata.uid ? -last : last
  }
}

function valueAt(object: object, path: readonly string[]): string | number | boolean | undefined {
  let value: unknown = object
  for (const key of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key]
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}
