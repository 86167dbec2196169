import type { ApiObject } from '@pergola/api'
import type { Draft, JsonPatchOperation, MergePatch, NewMetadata, PartOf, ResourceType } from '../object-types.ts'
import type { PartQuery } from '../query.ts'
import type { WatchEvent } from '../watch-event.ts'
import type { ListOptions } from './list-options.ts'
import type { Live, LiveOptions } from './live.ts'
import type { ModelTypes, Served } from './served.ts'

/**
 * Returns the objects of a model: `client(Todo)`. Each context says whose rights its client has. Rejected requests throw
 * `ApiError`.
 */
export type ModelClient = <Types extends ModelTypes>(of: Served<Types>) => Collection<Types>

/** The objects of a model. */
export interface Collection<Types extends ModelTypes> {
  get(name: string): Promise<Types['object']>
  /** Reads only these paths, such as `spec.title`, and what names the object. */
  get(name: string, options: PartQuery): Promise<PartOf<Types['object']>>
  /** Results in the order of the names; undefined for objects that do not exist. */
  getMany(names: readonly string[]): Promise<readonly (Types['object'] | undefined)[]>
  /** Selects objects lazily: sends no request until the listing is read. */
  list(options?: WholeQuery<Types['fields']>): Listing<Types['object'], ReferencesOf<Types>>
  list(options: ListOptions<Types['fields']> & RelatedOptions & PartQuery): Listing<PartOf<Types['object']>>
  // Again: for a mistake, the compiler takes the type from the first and the message from the last.
  list(options?: WholeQuery<Types['fields']>): Listing<Types['object'], ReferencesOf<Types>>
  /** Creates an object. Without a name, the server generates one that starts with the singular. */
  create(spec: Types['create'], metadata?: NewMetadata): Promise<Types['object']>
  /**
   * Reads the object, lets `change` modify it in place, and writes it. Retries on a version conflict, so `change` may run
   * several times.
   */
  update(name: string, change: (object: Draft<Types['object']>) => unknown): Promise<Types['object']>
  /** Replaces the object. Throws `VersionConflict` when it has changed since it was read. */
  replace(object: Types['object']): Promise<Types['object']>
  /** An array is a JSON Patch (RFC 6902), an object a merge patch (RFC 7386). */
  patch(name: string, patch: readonly JsonPatchOperation[] | MergePatch<Types['object']>): Promise<Types['object']>
  /**
   * Writes only the status, for models with a status sub-resource. Throws `VersionConflict` when the object has changed since
   * it was read.
   */
  updateStatus(object: Types['object'], status: Types['status']): Promise<Types['object']>
  /**
   * Reads the object and writes the status that `change` returns. Retries on a version conflict, so `change` may run several
   * times.
   */
  updateStatus(name: string, change: ChangeStatus<Types>): Promise<Types['object']>
  /** Deletes the object and returns its last state. An object with finalizers is only declared deleted. */
  delete(name: string): Promise<Types['object']>
  /** Streams changes from now on or after `revision`. Reconnects after a disconnect. */
  watch(options?: CollectionWatchOptions<Types['fields']>): AsyncIterable<WatchEvent<Types['object']>>
  /** A sorted list that stays current until closed: lists, then watches, and reconnects by itself. */
  live(options?: LiveOptions<Types['fields']>): Live<Types['object']>
}

export type ChangeStatus<Types extends ModelTypes> = (
  status: Types['status'] | undefined,
  object: Types['object'],
) => Types['status'] | Promise<Types['status']>

/** Selects whole objects. */
type WholeQuery<Fields> = ListOptions<Fields> & RelatedOptions & { readonly fields?: undefined }

/** What a page answers about objects of other models. */
export interface RelatedOptions {
  /** Paths of at most 4 references: `page.related` returns the objects that they name. Pages have at most 500 objects. */
  readonly expand?: readonly string[]
  /** Models and paths of at most 4 references to this model: `page.referrers` counts them. Pages have at most 100 objects. */
  readonly referrers?: readonly (readonly [of: ResourceType, path: string])[]
}

export type ReferencesOf<Types extends ModelTypes> = Types extends { readonly references: infer References }
  ? References
  : object

export interface CollectionWatchOptions<Fields> extends Pick<ListOptions<Fields>, 'where' | 'labels'> {
  /** Starts after this revision. */
  readonly revision?: string
  /** Starts with the existing objects. */
  readonly initial?: boolean
  readonly signal?: AbortSignal
}

/** Selected objects, fetched page by page while they are read. */
export interface Listing<Stored, References = object> extends AsyncIterable<Stored> {
  all(): Promise<readonly Stored[]>
  first(): Promise<Stored | undefined>
  /** Counts the selected objects exactly. */
  total(): Promise<number>
  /** One page; pages count from 1. Only pages answer `expand` and `referrers`. */
  page(page: number, size: number): Promise<Page<Stored, References>>
}

export interface Page<Stored, References = object> {
  readonly items: readonly Stored[]
  readonly total: number
  readonly totalIsEstimate: boolean
  readonly hasNext: boolean
  /** Some objects of `expand` are left out because there are too many. */
  readonly expandedIsPartial: boolean
  /**
   * With `expand`: the object that the reference of an item names, an array for several. Objects are missing that do not exist,
   * that the request may not get, or that are left out.
   */
  related<Path extends string>(item: Stored, path: Path): Path extends keyof References ? References[Path] : AnyRelated
  /** With `referrers`: how many objects of the model name the item, at most 1,000. */
  referrers(of: ResourceType, path: string, name: string): number | undefined
}

/** What a reference names, if its path has no type. */
export type AnyRelated = ApiObject | readonly ApiObject[] | undefined
