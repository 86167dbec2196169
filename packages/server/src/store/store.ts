/**
 * Where objects live. One engine a folder (`sqlite/`, `postgres/`); `store-contract.ts` holds every promise below
 * as a test and runs on each of them.
 */
export interface Store extends AsyncDisposable {
  /** For people: engine and place, never a password. */
  readonly description: string

  /**
   * The one write entry; a single write is a batch of one. All operations commit together or none does, and once the
   * promise resolves they are durable. Answers are in the order of the operations.
   *
   * A name that is taken throws `AlreadyExists`. Of several callers racing for one name exactly one wins.
   */
  write(operations: readonly WriteOperation[]): Promise<readonly StoredObject[]>

  /** Reads what is committed now, whoever wrote it; undefined when there is no such object. */
  get(model: ModelKey, name: string): Promise<StoredObject | undefined>

  /**
   * One page in creation order, the newest first. The page and its total are of one snapshot.
   * Pages chained by `next` neither repeat nor skip an object that exists throughout.
   */
  list(model: ModelKey, query: ListQuery): Promise<StoredPage>

  /** Resolves when the database answers. */
  ping(): Promise<void>
}

/** A table of objects: all versions of a kind share it. */
export interface ModelKey {
  readonly group: string
  readonly plural: string
}

interface CreateOperation {
  readonly type: 'create'
  readonly model: ModelKey
  readonly name: string
  /** The object as it will be served. The store never looks inside. */
  readonly bytes: Buffer
}

export type WriteOperation = CreateOperation

export interface StoredObject {
  readonly name: string
  readonly bytes: Buffer
}

export interface ListQuery {
  /** At least 1. */
  readonly limit: number
  /** How many objects to pass over; not together with `after`. */
  readonly offset?: number
  /** Continue behind the page whose `next` this was. */
  readonly after?: Cursor
}

/** A place in a list, meaningful to the engine that made it. */
export type Cursor = string & { readonly __cursor: never }

export interface StoredPage {
  readonly items: readonly StoredObject[]
  /** How many objects the model has. */
  readonly total: number
  /** Absent on the last page. */
  readonly next?: Cursor
}
