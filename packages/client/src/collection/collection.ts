import type { Draft, NewMetadata, Patch } from '../object-types.ts'
import type { WatchEvent } from '../watch-event.ts'
import type { ListOptions } from './list-options.ts'
import type { Live, LiveOptions } from './live.ts'
import type { ModelTypes, Served } from './served.ts'

/** Asks the host: `client(Todo)`. What it may do is its owner's rights. Whatever is refused is thrown as `ApiError`. */
export type ModelClient = <Types extends ModelTypes>(of: Served<Types>) => Collection<Types>

/** The objects of a model. */
export interface Collection<Types extends ModelTypes> {
  get(name: string): Promise<Types['object']>
  /** In the order of the names; undefined for those that there are not. */
  getMany(names: readonly string[]): Promise<readonly (Types['object'] | undefined)[]>
  /** Nothing is asked before something is done with it. */
  list(options?: ListOptions<Types['fields']>): Listing<Types['object']>
  /** Without a name, one is made up that begins with the singular. */
  create(spec: Types['create'], metadata?: NewMetadata): Promise<Types['object']>
  /** Reads, changes in place and writes; begins again when somebody was faster, so `change` may run several times. */
  update(name: string, change: (object: Draft<Types['object']>) => unknown): Promise<Types['object']>
  /** Replaces it. `VersionConflict` when it has changed since it was read. */
  replace(object: Types['object']): Promise<Types['object']>
  patch(name: string, patch: Patch): Promise<Types['object']>
  /** The status alone, of a model that keeps it apart. `VersionConflict` when the object has changed since it was read. */
  updateStatus(object: Types['object'], status: Types['status']): Promise<Types['object']>
  /** The object as it last was: gone, or declared deleted when it has finalizers. */
  delete(name: string): Promise<Types['object']>
  /** Changes from now on, or from a revision on; comes back by itself after a disconnect. */
  watch(options?: CollectionWatchOptions<Types['fields']>): AsyncIterable<WatchEvent<Types['object']>>
  /** All of them, in order, kept current for as long as it is needed: lists, then watches, and comes back by itself. */
  live(options?: LiveOptions<Types['fields']>): Live<Types['object']>
}

export interface CollectionWatchOptions<Fields> extends Pick<ListOptions<Fields>, 'where' | 'labels'> {
  /** Goes on behind it. */
  readonly revision?: string
  /** Begins with the present objects. */
  readonly initial?: boolean
  readonly signal?: AbortSignal
}

/** Objects to come, page by page as they are read. */
export interface Listing<Stored> extends AsyncIterable<Stored> {
  all(): Promise<readonly Stored[]>
  first(): Promise<Stored | undefined>
  /** Exact, however many there are. */
  total(): Promise<number>
  /** From 1 on. */
  page(page: number, size: number): Promise<Page<Stored>>
}

export interface Page<Stored> {
  readonly items: readonly Stored[]
  readonly total: number
  readonly totalIsEstimate: boolean
  readonly hasNext: boolean
}
