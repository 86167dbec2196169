import { isApiError, type ApiObject } from '@pergola/api'
import { createCache, type Cache, type CacheOptions } from './cache.ts'
import type { WatchConnection } from './frames.ts'
import type { DeletedCollection, Draft, List, NewObject, Patch, ResourceType } from './object-types.ts'
import { collectionPath, objectPath } from './path.ts'
import { listParameters, queryString, selectionParameters, type ListQuery, type Selection } from './query.ts'
import { send, type Call, type CallOptions } from './send.ts'
import { backoffMs, sleep } from './waiting.ts'
import type { WatchEvent } from './watch-event.ts'
import { watch } from './watch.ts'

const pageSize = 500
/** How often `modify` begins again when others are faster. */
const maxModifyRetries = 10
const modifyBackoff = { firstMs: 10, mostMs: 1_000 }

export interface WriteOptions extends CallOptions {
  /** Everything is done but stored. */
  readonly dryRun?: boolean | undefined
  /** Refused with `PreconditionFailed` unless the stored object has this tag: see `etagOf`. */
  readonly ifMatch?: string | undefined
}

export interface WatchOptions extends Selection {
  /** Of one object. */
  readonly name?: string | undefined
  /** Goes on behind it: of a list, an event or a bookmark. */
  readonly revision?: string | undefined
  /** Begins with the present objects. Without it, and without a revision, with what changes from now on. */
  readonly initial?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** The objects of one model. Whatever the server refuses is thrown as `ApiError`. */
export interface Resource<Stored extends ApiObject, Created = NewObject<Stored>> {
  get(name: string, options?: CallOptions): Promise<Stored>
  list(query?: ListQuery, options?: CallOptions): Promise<List<Stored>>
  /** Every object, page by page, each page when its first object is asked for. */
  listAll(query?: Omit<ListQuery, 'page' | 'continue'>, options?: CallOptions): AsyncGenerator<Stored, void, undefined>
  create(object: Created, options?: Omit<WriteOptions, 'ifMatch'>): Promise<Stored>
  /** Replaces it. `VersionConflict` when it has changed since it was read. */
  update(object: Stored, options?: WriteOptions): Promise<Stored>
  patch(name: string, patch: Patch, options?: WriteOptions): Promise<Stored>
  /** The object as it last was: gone, or declared deleted when it has finalizers. */
  delete(name: string, options?: WriteOptions): Promise<Stored>
  /** Everything selected; everything there is, only if `all` says so. */
  deleteCollection(
    selection: Selection & { readonly all?: boolean },
    options?: Omit<WriteOptions, 'ifMatch'>,
  ): Promise<DeletedCollection>
  /** The status alone, of a model that keeps it apart. */
  updateStatus(object: Stored, options?: WriteOptions): Promise<Stored>
  patchStatus(name: string, patch: Patch, options?: WriteOptions): Promise<Stored>
  /** Reads, changes in place and writes; begins again when somebody was faster, so `change` may run several times. */
  modify(
    name: string,
    change: (object: Draft<Stored>) => void | Promise<void>,
    options?: Omit<WriteOptions, 'ifMatch'>,
  ): Promise<Stored>
  /**
   * Changes as they come; begins when it is first read from, and comes back by itself after a disconnect. Reading slowly
   * slows the server, or has it wait; nothing piles up here.
   */
  watch(options?: WatchOptions): AsyncGenerator<WatchEvent<Stored>, void, undefined>
  /** All selected objects, kept current. Begins at once; close it when it is no longer needed. */
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
  const get: Resource<Stored>['get'] = async (name, options) =>
    call({ ...options, method: 'GET', path: objectPath(type, name) })
  const list: Resource<Stored>['list'] = async (query = {}, options = {}) => {
    const path = `${collection}${queryString(listParameters(query))}`
    return (await send(connection, { ...options, method: 'GET', path })) as List<Stored>
  }
  const update: Resource<Stored>['update'] = async (object, options) => replace(object, undefined, options)
  const watchFrom: Resource<Stored>['watch'] = ({ name, signal, ...options } = {}) => {
    const path = name === undefined ? collection : objectPath(type, name)
    return watch(connection, { ...options, collection, path }, signal)
  }
  return {
    get,
    list,
    listAll: (query, options) => pages(list, query, options),
    create: (object, options) => write({ method: 'POST', body: object }, collection, options),
    update,
    patch: async (name, body, options) => patch(objectPath(type, name), body, options),
    delete: async (name, options) => write({ method: 'DELETE' }, objectPath(type, name), options),
    deleteCollection: async ({ all, ...selection }, options = {}) => {
      const query = queryString(Object.entries({ ...selectionParameters(selection), all, dryRun: options.dryRun }))
      const line = { ...options, method: 'DELETE', path: `${collection}${query}` }
      return (await send(connection, line)) as DeletedCollection
    },
    updateStatus: async (object, options) => replace(object, 'status', options),
    patchStatus: async (name, body, options) => patch(objectPath(type, name, 'status'), body, options),
    modify: (name, change, options) => modify({ get, update }, { name, change }, options),
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
    // Steps taken twice may be two steps, unless the object must be the one they were meant for.
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
