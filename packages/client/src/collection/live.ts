import { ApiError, type ApiObject } from '@pergola/api'
import type { Cache } from '../cache.ts'
import type { Resource } from '../resource.ts'
import type { CollectionOptions } from './collection-options.ts'
import type { ListOptions } from './list-options.ts'
import { selectionOf, type LooseListOptions } from './selection.ts'

export interface LiveOptions<Fields> extends ListOptions<Fields> {
  /** Closes it, as `close` does. */
  readonly signal?: AbortSignal
}

/** Selected objects in their order, as they are now. Objects are frozen and shared. */
export interface Live<Stored> extends Disposable {
  /** Empty until it is ready; another array whenever something has changed. */
  readonly items: readonly Stored[]
  /** Once all are there. Rejects when it ends before. */
  readonly ready: Promise<void>
  /** Resolves when it is over: with the reason, or with nothing when it was closed. */
  readonly ended: Promise<unknown>
  /** Told all of them as soon as they are there, and again after changes; several at once are told once. Answers what ends it. */
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
  if (!selection) throw new ApiError('BadRequest', 'no object can be one of none; there is nothing to follow')
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
  /** Until something changes. */
  #items: readonly Stored[] | undefined
  #isReady = false
  #willTell = false

  constructor(cache: Cache<Stored>, inOrder: (objects: readonly Stored[]) => readonly Stored[]) {
    this.#cache = cache
    this.#inOrder = inOrder
    this.ended = cache.ended
    this.ready = this.#begin()
    // Whoever does not wait for it is told by `ended`.
    this.ready.catch(() => {})
    cache.on(() => this.#isReady && this.#changed())
  }

  get items(): readonly Stored[] {
    if (!this.#isReady) return []
    this.#items ??= this.#inOrder(this.#cache.items())
    return this.#items
  }

  subscribe(listener: (items: readonly Stored[]) => void): () => void {
    // Its own, so that a function given twice is told twice.
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

/** As the server would sort them: what has no value comes last, and among equals the youngest first. */
function comparisonOf<Stored extends ApiObject>(keys: readonly string[]): Compare<Stored> {
  const wanted = keys.map((key) => {
    const [field = '', direction = 'asc'] = key.split(' ')
    if (!field.includes('.')) {
      throw new ApiError('BadRequest', `live objects are sorted by their fields, and "${field}" is none`)
    }
    return { path: field.split('.'), sign: direction === 'desc' ? -1 : 1 }
  })
  return (one, other) => {
    for (const { path, sign } of wanted) {
      const [a, b] = [valueAt(one, path), valueAt(other, path)]
      if (a === b) continue
      if (a === undefined || b === undefined) return a === undefined ? 1 : -1
      return a < b ? -sign : sign
    }
    return one.metadata.uid < other.metadata.uid ? 1 : -1
  }
}

function valueAt(object: object, path: readonly string[]): string | number | boolean | undefined {
  let value: unknown = object
  for (const key of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key]
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}
