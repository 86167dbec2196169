import type { ApiObject } from '@pergola/api'
import type { ObjectEvent } from './watch-event.ts'

/** A change of one object in a cache. */
export type CacheChange<Stored extends ApiObject> =
  | { readonly type: 'added'; readonly object: Stored }
  | { readonly type: 'modified'; readonly object: Stored; readonly previous: Stored }
  /** `object` is the last stored state, if known; `previous` is the state that the cache held. */
  | { readonly type: 'deleted'; readonly object: Stored; readonly previous: Stored }

/**
 * Objects by name; emits the change that each event makes. A snapshot may begin at any time: all existing objects arrive again,
 * and objects missing from it are removed when it ends.
 */
export class CachedObjects<Stored extends ApiObject> {
  readonly #objects = new Map<string, Stored>()
  readonly #emit: (change: CacheChange<Stored>) => void
  /** Names that the current snapshot has not delivered yet; undefined outside a snapshot. */
  #unseen: Set<string> | undefined

  /** `emit` is called synchronously for each change. */
  constructor(emit: (change: CacheChange<Stored>) => void) {
    this.#emit = emit
  }

  get(name: string): Stored | undefined {
    return this.#objects.get(name)
  }

  get size(): number {
    return this.#objects.size
  }

  values(): IterableIterator<Stored> {
    return this.#objects.values()
  }

  get isInSnapshot(): boolean {
    return this.#unseen !== undefined
  }

  beginSnapshot(): void {
    this.#unseen = new Set(this.#objects.keys())
  }

  endSnapshot(): void {
    for (const name of this.#unseen ?? []) this.#remove(name)
    this.#unseen = undefined
  }

  apply({ type, object }: Pick<ObjectEvent<Stored>, 'type' | 'object'>): void {
    const { name } = object.metadata
    const known = this.#objects.get(name)
    const isSame = known?.metadata.uid === object.metadata.uid
    if (type === 'DELETED' && !isSame) return
    const isFirstSight = this.#unseen?.delete(name) ?? false
    if (!known) return this.#add(name, object)
    const isOlder = object.metadata.version <= known.metadata.version
    if (!isSame || (isFirstSight && isAnotherPast(known, object))) {
      this.#remove(name)
      if (type !== 'DELETED') this.#add(name, object)
    } else if (isOlder) return
    else if (type === 'DELETED') this.#remove(name, object)
    else this.#modify(name, object, known)
  }

  #add(name: string, object: Stored): void {
    this.#objects.set(name, object)
    this.#emit({ type: 'added', object })
  }

  #modify(name: string, object: Stored, previous: Stored): void {
    this.#objects.set(name, object)
    this.#emit({ type: 'modified', object, previous })
  }

  #remove(name: string, last?: Stored): void {
    const previous = this.#objects.get(name)
    if (!previous) return
    this.#objects.delete(name)
    this.#emit({ type: 'deleted', object: last ?? previous, previous })
  }
}

/**
 * True when the server's state does not follow from the cached one: the database was restored, or a failover lost the latest
 * commits. The cached state then never existed in this history.
 */
function isAnotherPast(known: ApiObject, present: ApiObject): boolean {
  const { version } = present.metadata
  if (version !== known.metadata.version) return version < known.metadata.version
  return JSON.stringify(present) !== JSON.stringify(known)
}
