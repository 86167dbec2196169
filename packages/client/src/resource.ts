import { isApiError, type ApiObject } from '@pergola/api'
import { createCache, type Cache, type CacheOptions } from './cache.ts'
import type { WatchConnection } from './frames.ts'
import type { DeletedCollection, Draft, List, NewObject, PartOf, Patch, ResourceType } from './object-types.ts'
import { collectionPath, objectPath } from './path.ts'
import {
  listParameters,
  queryString,
  selectionParameters,
  type ListQuery,
  type PartQuery,
  type Selection,
} from './query.ts'
import { send, type Call, type CallOptions } from './send.ts'
import { backoffMs, sleep } from './waiting.ts'
import type { WatchEvent } from './watch-event.ts'
import { watch } from './watch.ts'

const pageSize = 500
/** Retries of `modify` after version conflicts. */
const maxModifyRetries = 10
const modifyBackoff = { firstMs: 10, mostMs: 1_000 }

export interface WriteOptions extends CallOptions {
  /** Performs every check without storing the result. */
  readonly dryRun?: boolean | undefined
  /** Rejected with `PreconditionFailed` unless the stored object has this ETag: see `etagOf`. */
  readonly ifMatch?: string | undefined
}

export interface WatchOptions extends Selection {
  /** Watches only the object with this name. */
  readonly name?: string | undefined
  /** Starts after this revision, taken from a list, an event or a bookmark. */
  readonly revision?: string | undefined
  /** Starts with the existing objects. Without it and without `revision`, the watch delivers changes from now on. */
  readonly initial?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** The objects of one model. Rejected requests throw `ApiError`. */
export interface Resource<Stored extends ApiObject, Created = NewObject<Stored>> {
  get(name: string, options: CallOptions & PartQuery): Promise<PartOf<Stored>>
  get(name: string, options?: CallOptions): Promise<Stored>
  list(query: ListQuery & PartQuery, options?: CallOptions): Promise<List<PartOf<Stored>>>
  list(query?: ListQuery, options?: CallOptions): Promise<List<Stored>>
  /** Yields every object. Fetches each page when its first object is requested. */
  listAll(
    query: Omit<ListQuery, 'page' | 'continue'> & PartQuery,
    options?: CallOptions,
  ): AsyncGenerator<PartOf<Stored>, void, undefined>
  listAll(query?: Omit<ListQuery, 'page' | 'continue'>, options?: CallOptions): AsyncGenerator<Stored, void, undefined>
  create(object: Created, options?: Omit<WriteOptions, 'ifMatch'>): Promise<Stored>
  /** Replaces the object. Throws `VersionConflict` when it has changed since it was read. */
  update(object: Stored, options?: WriteOptions): Promise<Stored>
  patch(name: string, patch: Patch, options?: WriteOptions): Promise<Stored>
  /** Deletes the object and returns its last state. An object with finalizers is only declared deleted. */
  delete(name: string, options?: WriteOptions): Promise<Stored>
  /** Deletes the selected objects. Deleting all objects requires `all: true`. */
  deleteCollection(
    selection: Omit<Selection, 'anyOf'> & { readonly all?: boolean },
    options?: Omit<WriteOptions, 'ifMatch'>,
  ): Promise<DeletedCollection>
  /** Writes only the status, for models with a status sub-resource. */
  updateStatus(object: Stored, options?: WriteOptions): Promise<Stored>
  patchStatus(name: string, patch: Patch, options?: WriteOptions): Promise<Stored>
  /**
   * Reads the object, lets `change` modify it in place, and writes it. Retries on a version conflict, so `change` may run
   * several times.
   */
  modify(
    name: string,
    change: (object: Draft<Stored>) => void | Promise<void>,
    options?: Omit<WriteOptions, 'ifMatch'> & { readonly part?: 'object' | 'status' },
  ): Promise<Stored>
  /**
   * Streams changes. Connects on the first read and reconnects after a disconnect. Applies backpressure: a slow reader slows
   * the server, and the client buffers a bounded amount.
   */
  watch(options?: WatchOptions): AsyncGenerator<WatchEvent<Stored>, void, undefined>
  /** A local copy of all selected objects, kept current. Starts at once; close it when no longer needed. */
  cache<Index extends string = never>(options?: CacheOptions<Stored, Index>): Cache<Stored, Index>
}

export function createResource<Stored extends ApiObject, Created>(
  connection: WatchConnection,
  type: ResourceType<Stored>,
): Resource<Stored, Created> {
  const collection = collectionPath(type)
  const call = async (line: Call) => (await send(connection, line)) as Stored
  const write = (line: Omit<Call, 'path'>, path: string, options: WriteOptions = {}) =>
    call(writing({ ...line, path }, options))
  const replace = (object: Stored, subresource: string | undefined, options?: WriteOptions) =>
    write({ method: 'PUT', body: object }, objectPath(type, object.metadata.name, subresource), options)
  const patch = (path: string, body: Patch, options?: WriteOptions) => write(patching(body, options), path, options)
  const get = (async (name: string, given?: CallOptions & Partial<PartQuery>) => {
    const { fields, ...options } = given ?? {}
    const path = `${objectPath(type, name)}${queryString([['fields', fields?.join(',')]])}`
    return call({ ...options, method: 'GET', path })
  }) as Resource<Stored>['get']
  const list = (async (query?: ListQuery & Partial<PartQuery>, options?: CallOptions) => {
    const path = `${collection}${queryString(listParameters(query ?? {}))}`
    return (await send(connection, { ...options, method: 'GET', path })) as List<Stored>
  }) as Resource<Stored>['list']
  const update: Resource<Stored>['update'] = async (object, options) => replace(object, undefined, options)
  const watchFrom: Resource<Stored>['watch'] = ({ name, signal, ...options } = {}) => {
    const path = name === undefined ? collection : objectPath(type, name)
    return watch(connection, { ...options, collection, path }, signal)
  }
  return {
    get,
    list,
    listAll: ((query?: ListQuery, options?: CallOptions) => pages(list, query, options)) as Resource<Stored>['listAll'],
    create: (object, options) => write({ method: 'POST', body: object }, collection, options),
    update,
    patch: async (name, body, options) => patch(objectPath(type, name), body, options),
    delete: async (name, options) => write({ method: 'DELETE' }, objectPath(type, name), options),
    deleteCollection: async ({ all, ...selection }, options = {}) => {
      const query = queryString([...selectionParameters(selection), ['all', all], ['dryRun', options.dryRun]])
      const line = { ...options, method: 'DELETE', path: `${collection}${query}` }
      return (await send(connection, line)) as DeletedCollection
    },
    updateStatus: async (object, options) => replace(object, 'status', options),
    patchStatus: async (name, body, options) => patch(objectPath(type, name, 'status'), body, options),
    modify: (name, change, { part, ...options } = {}) => {
      const replacePart: typeof update = async (object, how) =>
        replace(object, part === 'status' ? part : undefined, how)
      return modify({ get, update: replacePart }, { name, change }, options)
    },
    watch: watchFrom,
    cache: (options) => createCache((parts) => watchFrom({ ...parts, initial: true }), options),
  }
}

function writing(line: Call, { dryRun, ifMatch, signal, timeoutMs }: WriteOptions): Call {
  return {
    ...line,
    signal,
    timeoutMs,
    path: `${line.path}${queryString([['dryRun', dryRun]])}`,
    headers: { ...line.headers, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
  }
}

function patching(body: Patch, { ifMatch }: WriteOptions = {}): Omit<Call, 'path'> {
  const isSteps = Array.isArray(body)
  return {
    method: 'PATCH',
    body,
    headers: { 'content-type': `application/${isSteps ? 'json' : 'merge'}-patch+json` },
    // JSON Patch operations may not be idempotent, unless `if-match` pins the version they apply to.
    isIdempotent: !isSteps || ifMatch !== undefined,
  }
}

async function* pages<Stored extends ApiObject>(
  list: Resource<Stored>['list'],
  query: ListQuery = {},
  options: CallOptions = {},
): AsyncGenerator<Stored, void, undefined> {
  let page = await list({ size: pageSize, ...query }, options)
  yield* page.items
  while (page.continue !== undefined) {
    page = await list({ continue: page.continue }, options)
    yield* page.items
  }
}

interface Modification<Stored> {
  readonly name: string
  readonly change: (object: Draft<Stored>) => void | Promise<void>
}

async function modify<Stored extends ApiObject>(
  { get, update }: Pick<Resource<Stored>, 'get' | 'update'>,
  { name, change }: Modification<Stored>,
  options: WriteOptions = {},
): Promise<Stored> {
  for (let failures = 0; ; failures++) {
    const object = await get(name, options)
    await change(object)
    try {
      return await update(object, options)
    } catch (error) {
      const wasRaced = isApiError(error) && error.reason === 'VersionConflict'
      if (!wasRaced || failures === maxModifyRetries) throw error
      await sleep(backoffMs(modifyBackoff, failures), options.signal)
    }
  }
}
