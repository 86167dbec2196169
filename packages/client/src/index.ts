export { ApiError, isApiError } from '@pergola/api'
export type { ApiObject, FieldError, Metadata, Reason, StoredState, UnplacedSelectorTerm } from '@pergola/api'
export type { Batch, BatchOperation, BatchOptions, BatchResults, BatchTarget } from './batch.ts'
export type { Cache, CacheOptions, WaitOptions } from './cache.ts'
export type { CacheChange } from './cached-objects.ts'
export type { CallInput, RouteTypes } from './collection/call-input.ts'
export { requestOfRoute } from './collection/call-route.ts'
export type { RouteCall, ServedRoute } from './collection/call-route.ts'
export type {
  AnyRelated,
  Collection,
  CollectionWatchOptions,
  Listing,
  ModelClient,
  Page,
  ReferencesOf,
  RelatedOptions,
} from './collection/collection.ts'
export type { CollectionOptions, Whole } from './collection/collection-options.ts'
export type { Condition, LabelCondition, ListOptions, Range, SortKey, Where } from './collection/list-options.ts'
export type { Live, LiveOptions } from './collection/live.ts'
export { selectionOf } from './collection/selection.ts'
export type { LooseListOptions } from './collection/selection.ts'
export type { ModelTypes, Served } from './collection/served.ts'
export { createClient } from './client.ts'
export type { Client, ClientOptions } from './client.ts'
export { connect } from './connect.ts'
export type { Connected } from './connect.ts'
export { ConnectionError, isConnectionError } from './connection-error.ts'
export { etagOf } from './object-types.ts'
export type {
  DeletedCollection,
  Draft,
  JsonPatchOperation,
  List,
  NewMetadata,
  NewObject,
  PartOf,
  MergePatch,
  Patch,
  ResourceType,
} from './object-types.ts'
export type { IndexFunction } from './object-indexes.ts'
export type { ListQuery, PartQuery, Selection, Selector } from './query.ts'
export type { Resource, WatchOptions, WriteOptions } from './resource.ts'
export type { Call, CallOptions, OnRetry } from './send.ts'
export type { Bookmark, ObjectEvent, Restarted, WatchEvent } from './watch-event.ts'
