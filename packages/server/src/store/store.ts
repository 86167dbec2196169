import type { sql, SqlRow, SqlStatement } from './sql.ts'

export type { SqlStatement }

/** Stores objects. One engine per folder (`sqlite/`, `postgres/`); `contract/` tests every promise below on each engine. */
export interface Store extends AsyncDisposable {
  /** Engine and location for people; never contains a password. */
  readonly description: string
  /** How it is used, for operators: pooling and notifications. Empty when there is nothing to say. */
  details(): string

  /** Resolves when the database answers. */
  ping(): Promise<void>

  /** The schema number of the database. Throws `UnusableSchema` when a newer server has upgraded it beyond this one. */
  schemaNumber(): Promise<number>

  /**
   * Creates the tables of a model and its indexes. Callers on other replicas may do the same concurrently; opening again with
   * the same declaration changes nothing.
   *
   * A declaration of a higher edition replaces the previous one on all replicas at once: indexes it no longer has are gone; new
   * ones are filled by every write from then on and can be used once they are built. Callers that write, list or open with an
   * older declaration get `StaleModel`, and nothing is done.
   */
  openModel(declaration: ModelDeclaration): Promise<void>

  /**
   * Closes a model that has no objects and that no index of another model refers to: from then on, callers that write or list
   * with its declaration get `StaleModel`. A declaration of a higher edition opens it again. Otherwise returns false and does
   * nothing.
   */
  closeModel(model: ModelKey): Promise<boolean>

  /**
   * Fills the new indexes of a model while writers continue; resolves when all are ready, whichever replica built them. One
   * replica builds at a time; when it dies, another continues from there. Throws `DuplicateValues` when a unique index cannot
   * be built; another call tries again.
   */
  buildIndexes(model: ModelKey, options: BuildOptions): Promise<void>

  /** The progress of the build, on whichever replica; undefined when every index is ready. */
  indexBuild(model: ModelKey): Promise<IndexBuild | undefined>

  /**
   * The only way to write; a single write is a batch of one. All operations commit together or none does. Once the promise
   * resolves they are durable, index entries and change log included. Results are in the order of the operations. Operations
   * are executed by model and name, whatever order they are given in, so that no two batches can deadlock. No object may appear
   * twice in a batch.
   *
   * With `inOrder`, the operations take effect, get their ids and are logged in the given order: an operation can use a unique
   * value that an earlier one released. Rows to be changed are locked by model and name before.
   *
   * Throws `WriteConflict` for the first operation, in that order, that could not be done; it carries the stored object, so
   * that a retry needs no further read. Of several writers racing for a name, a unique value or a version, one wins.
   *
   * With a fence, the write succeeds only while that lease is held, or throws `FenceLost`; a caller that takes the lease over
   * waits for the write.
   *
   * With guards, the write succeeds only while they hold, or throws `GuardFailed`. The `also` statements run in the same
   * transaction.
   *
   * A dry run returns or throws what the write would, and changes nothing.
   */
  write(operations: readonly WriteOperation[], options?: WriteOptions): Promise<readonly WriteResult[]>

  /**
   * One statement on tables that belong to no model: credentials, and other data that must never be part of an object. The
   * functions in `records/` call it.
   */
  readonly [sql]: (statement: SqlStatement) => Promise<readonly SqlRow[]>

  /** Reads the committed state, whichever replica wrote it; undefined when the object does not exist. */
  get(model: ModelKey, name: string): Promise<StoredObject | undefined>

  /**
   * The objects that have these names, in the order of their names, in one snapshot; `isPartial` if some are left out after the
   * one that reaches `maxBytes` of data.
   */
  getMany(
    model: ModelKey,
    names: readonly string[],
    maxBytes: number,
  ): Promise<{ readonly items: readonly StoredObject[]; readonly isPartial: boolean }>

  /**
   * How many objects have each of the values in an index, counted to `limit`, in one snapshot. An index that is not built yet
   * throws `IndexBuilding`.
   */
  countValues(model: ModelKey, wanted: CountedValues): Promise<ReadonlyMap<string, number>>

  /** How many values of a reference name no object, counted to `boundedTotal`. Reads every value. */
  countDangling(model: ModelKey, index: string): Promise<number>

  /**
   * One page of the objects that every term selects. Items, total and revision come from one snapshot. Without a sort, the
   * newest objects come first; every sort ends in creation order, in the direction of its last key. An object without a value
   * sorts first ascending and last descending. Keys compare as their UTF-8 bytes.
   *
   * A term or sort on an index that is not built yet throws `IndexBuilding`, which reports the progress.
   *
   * Pages chained by `next` neither repeat nor skip an object whose sort keys do not change meanwhile. The cost of a page does
   * not grow with its depth.
   */
  list(model: ModelKey, query: ListQuery): Promise<StoredPage>

  /** The position after the newest change in order. */
  head(): Promise<Revision>

  /**
   * The changes after a position, oldest first, of all models: every committed change exactly once, those of one object in commit
   * order, and in the same order for every reader. Nothing ever appears at a position already passed. After the revision of a list
   * come exactly the changes of the list's model that the list does not show.
   *
   * When there are none yet, waits for some for up to `waitMs`. Throws `RevisionExpired` for a position that is no longer kept, or
   * that this database never gave out.
   */
  readChanges(after: Revision, options: ReadChangesOptions): Promise<ChangeBatch>

  /** The packed form, for transport to other replicas; absent on engines with one replica. */
  readonly packedLog?: PackedLog

  /**
   * Deletes the oldest changes, in large steps: those older than `keepMs`, and as many more as needed to stay below `maxBytes`.
   * Keeps the newest. A reader whose position is gone gets `RevisionExpired`, never a gap. Every replica may call it at any time.
   */
  compact(retention: Retention): Promise<void>

  /**
   * Acquires a lease that is free or expired, or renews it for the same holder; undefined while another holds it. A lease taken
   * over gets a new token, and from then on no write fenced by the old token succeeds.
   */
  acquireLease(name: string, options: LeaseOptions): Promise<Lease | undefined>

  /** Releases a lease; does nothing when the lease was lost. */
  releaseLease(lease: Lease): Promise<void>

  /** The leases that are held now and begin with the prefix, by name. */
  heldLeases(prefix: string): Promise<readonly HeldLease[]>
}

export interface LeaseOptions {
  readonly holder: string
  readonly ttlMs: number
  /** Stored with the lease, for those who list it. */
  readonly about?: string
}

export interface HeldLease {
  readonly name: string
  /** The id of the replica that holds it, if its version records that. */
  readonly replica?: string
  readonly about?: string
}

export interface WriteOptions {
  readonly fence?: Lease
  readonly dryRun?: boolean
  /** The operations take effect in the given order. */
  readonly inOrder?: boolean
  readonly guards?: readonly Guard[]
  /** Statements on tables that belong to no model. */
  readonly also?: readonly SqlStatement[]
}

/**
 * A condition that must hold at the moment a write commits. A concurrent writer that changes what a guard names waits until
 * this write is done, or this write waits for it and sees the result.
 */
export type Guard =
  /** The object exists; in the state that was read, if `expected` is given. */
  | {
      readonly is: 'there'
      readonly model: ModelKey
      readonly name: string
      readonly expected?: { readonly uid?: string; readonly version?: number }
    }
  /**
   * The term selects no object after the operations. It only excludes concurrent writers that need a row which the operations
   * write: creating a reference to an object must be guarded by `there` on that object.
   */
  | { readonly is: 'none'; readonly model: ModelKey; readonly where: Term }
  /**
   * Increments a counter before any object is touched: other writers that increment the same counter wait until this write is
   * done. With `expected`, only if the counter still has the value that was read, so nobody else has incremented it since.
   */
  | { readonly is: 'counted'; readonly counter: string; readonly expected?: number }
  /**
   * The object exists and is not being deleted. Does not exclude writers that only update it. An update that adds a value to an
   * index with `refersTo` must have this guard for that value; creates check their values themselves.
   */
  | { readonly is: 'target'; readonly model: ModelKey; readonly name: string }
  /** The statement returns no row after the operations; excludes concurrent writers only as `none` does. */
  | { readonly is: 'no row'; readonly statement: SqlStatement }

/** Proof of holding a lease. */
export interface Lease {
  readonly name: string
  readonly token: number
}

/** An opaque position in the change log; it is verified when it is used. */
export type Revision = string & { readonly __revision: never }

/** The part of a revision that refers to the log alone. */
export interface LogPosition {
  /** Dense, from 1; 0 is the position before the first change. */
  readonly number: number
  /** Random tag of the batch that this number belongs to: a restored or diverged database has another tag there. */
  readonly tag: string
}

export interface Retention {
  /** Newer changes are kept, unless they exceed `maxBytes`. */
  readonly keepMs: number
  readonly maxBytes: number
}

export interface ReadChangesOptions {
  /** Maximum number of changes. */
  readonly limit: number
  /** The batch ends early, after the change that reaches this many bytes of data. */
  readonly maxBytes?: number
  readonly waitMs: number
  readonly signal?: AbortSignal
}

export interface ChangeBatch {
  readonly changes: readonly Change[]
  /** The position after them. */
  readonly revision: Revision
  /** For an empty batch: the moment, by `performance.now()`, up to which there were no changes. */
  readonly provenAt?: number
}

/** Reads changes in packed form. They stay packed in transit; any replica on the same database can unpack them. */
export interface PackedLog {
  /** Like `readChanges`, from a position that is not a list's revision. */
  read(after: Revision, options: ReadChangesOptions): Promise<readonly PackedChange[]>
  /** Synchronous, unless something about its model must be read first. */
  unpack(about: string, data: Buffer): Change | Promise<Change>
}

export interface PackedChange {
  /** The position after the change. */
  readonly position: LogPosition
  /** Id of the model. */
  readonly model: number
  readonly about: string
  /** The bytes of the object. */
  readonly data: Buffer
}

export interface Change {
  readonly model: ModelKey
  readonly op: 'added' | 'modified' | 'deleted'
  /** As stored by this change, or the last state when removed. */
  readonly object: StoredObject
  readonly indexed: LoggedValues
  /** Values before the change; absent when no indexed value has changed. */
  readonly previous?: LoggedValues
  /** Whether this change declared the object deleted, or removed it without declaring it first. */
  readonly declared: boolean
  /** The position after this change. */
  readonly revision: Revision
  /** The same position as a comparable number, with its tag. */
  readonly position: LogPosition
  /** How a list's revision names this change when the list shows it before it has a position. */
  readonly id: string
}

/** Keyed by the indexes that existed when the change was written; later ones are missing. */
export interface LoggedValues extends IndexedValues {
  /** The forms of those indexes, by name: values of another form mean something else. */
  readonly forms: Readonly<Record<string, string>>
}

/** A table of objects: all versions of a model share it. */
export interface ModelKey {
  readonly group: string
  readonly plural: string
}

export interface ModelDeclaration extends ModelKey {
  /** Of two declarations of a model, the one with the higher edition is in force; 0 when omitted. */
  readonly edition?: number
  readonly indexes: readonly IndexDeclaration[]
  /** Indexes that are often filtered and sorted by together; they affect speed, never results. */
  readonly composites?: readonly (readonly CompositePart[])[]
}

/**
 * The name of an index while it is built ahead of the declaration that will use its own name. That declaration then finds it
 * ready.
 */
export function nextIndexName(index: string): string {
  return `next:${index}`
}

export interface IndexDeclaration {
  readonly name: string
  /** A set of values per object instead of at most one. */
  readonly multi?: boolean
  /** No two objects may have the same value. Objects without a value never conflict. */
  readonly unique?: boolean
  /** How its values are derived; an index of another form is a different index and is built again. */
  readonly form?: string
  /**
   * The values are names of objects of this model, which must be open. A value can be added only while that object exists and
   * is not being deleted, and an object whose name another object has as a value can be neither removed nor declared deleted.
   */
  readonly refersTo?: ModelKey
}

export interface CompositePart {
  readonly index: string
  readonly descending?: boolean
}

export interface BuildOptions {
  /** The indexed values of each object, in their order, following the declaration in force. */
  readonly evaluate: (objects: readonly StoredObject[]) => Promise<readonly IndexedValues[]>
  /** The edition that `evaluate` follows; when another is in force, `StaleModel` is thrown and nothing is filled. */
  readonly edition?: number
  readonly signal?: AbortSignal
}

export interface IndexBuild {
  /** The names of the indexes that are not ready. */
  readonly indexes: readonly string[]
  /** `filling`: objects get their entries. `ordering`: the B-trees are built, on engines that do so afterwards. */
  readonly phase: 'waiting' | 'filling' | 'ordering'
  readonly done: number
  readonly total: number
  /** Objects recently filled per second; 0 when unknown. */
  readonly perSecond: number
  readonly remainingMs?: number
}

/**
 * The values by which an object can be selected and sorted. Values are index keys: strings whose byte order is the value order.
 */
export interface IndexedValues {
  readonly labels: Readonly<Record<string, string>>
  /** By the name of a single-value index; absent or undefined means no value. */
  readonly single: Readonly<Record<string, string | undefined>>
  /** By the name of a multi-value index; absent means the empty set. Duplicates count once. */
  readonly multi: Readonly<Record<string, readonly string[]>>
}

/** The content of an object as given by the caller. The store never reads `data`, which may be any bytes except NUL. */
export interface ObjectContent {
  readonly data: Buffer
  /** The model version that `data` is written in. */
  readonly storedAs: string
  /** Has finalizers: a deletion only declares the object deleted. */
  readonly held: boolean
  readonly indexed: IndexedValues
  /** The edition that `indexed` follows; 0 when omitted. */
  readonly edition?: number
}

/** With `kept`, no indexed value changes and none need be computed, as for a status update. */
export interface UpdatedContent extends Omit<ObjectContent, 'indexed'> {
  readonly indexed: IndexedValues | 'kept'
}

export interface CreateOperation {
  readonly type: 'create'
  readonly model: ModelKey
  readonly name: string
  readonly uid: string
  readonly content: ObjectContent
}

/**
 * Replaces the content of an object that the caller has read. With identical data, nothing changes and nothing is logged.
 * Removes an object that was declared deleted and is no longer held.
 */
export interface UpdateOperation {
  readonly type: 'update'
  readonly model: ModelKey
  readonly name: string
  /** Uid and version as read; any other stored state is a conflict. */
  readonly expected: { readonly uid: string; readonly version: number }
  readonly content: UpdatedContent
  /** Whether more than metadata or status has changed. */
  readonly newGeneration: boolean
  /**
   * The caller knows that labels and sets have not changed, which saves work. If they differ anyway, they are still written.
   */
  readonly sameEntries?: boolean
}

/** Removes the object, or declares it deleted while it is held; repeating that changes nothing. */
export interface DeleteOperation {
  readonly type: 'delete'
  readonly model: ModelKey
  readonly name: string
  readonly expected?: { readonly uid?: string; readonly version?: number }
}

export type WriteOperation = CreateOperation | UpdateOperation | DeleteOperation

export interface WriteResult {
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'declared' | 'removed'
  /** As stored now, or the last state when removed. */
  readonly object: StoredObject
}

export interface StoredObject {
  readonly name: string
  readonly uid: string
  /** 0 when created, +1 with every stored change, including the removal. */
  readonly version: number
  /** 1 when created, +1 with every update that has `newGeneration`. */
  readonly generation: number
  /** Milliseconds since 1970, by the database's clock. */
  readonly createdAt: number
  /** When the object was declared deleted. */
  readonly deletedAt?: number
  readonly storedAs: string
  readonly data: Buffer
}

export interface ListQuery {
  /** All must match. */
  readonly where?: readonly Clause[]
  readonly sort?: readonly SortKey[]
  /** At least 1. */
  readonly limit: number
  /** The page ends early, after the object that reaches this many bytes of data. */
  readonly maxBytes?: number
  /** How many objects to skip; not together with `after`. */
  readonly offset?: number
  /** Continue after the page that returned this `next`, with the same terms and sort. */
  readonly after?: Cursor
  /**
   * `bounded` (the default) counts up to `boundedTotal` and estimates beyond; `exact` always counts; `none` does not count.
   */
  readonly total?: 'bounded' | 'exact' | 'none'
}

export interface CountedValues {
  readonly index: string
  readonly values: readonly string[]
  readonly limit: number
}

/** Maximum number of matching objects that are counted. */
export const boundedTotal = 10_000

/**
 * A condition on a label or an index. A condition on a set holds when one of its values matches; a negative one when none does.
 */
export type Term =
  | { readonly label: string; readonly is: Condition }
  | { readonly field: string; readonly is: Condition }

/** Matches when all terms of one of the alternatives do; each has at least one term. */
export interface AnyOf {
  readonly anyOf: readonly (readonly Term[])[]
}

export type Clause = Term | AnyOf

export type Condition =
  | { readonly op: 'present' | 'absent' }
  | { readonly op: '=' | '>' | '>=' | '<' | '<=' | 'prefix'; readonly value: string }
  /** `not in` also matches objects without a value. */
  | { readonly op: 'in' | 'not in'; readonly values: readonly string[] }

export interface SortKey {
  /**
   * A single-value index, or a field of every model: `metadata.name`, `metadata.creationTimestamp`,
   * `metadata.deletionTimestamp`.
   */
  readonly field: string
  readonly descending: boolean
}

/** A position in a sorted list; only the engine that made it can read it. */
export type Cursor = string & { readonly __cursor: never }

export interface StoredPage {
  readonly items: readonly StoredObject[]
  /** The position of this snapshot in the change log. */
  readonly revision: Revision
  /** Absent when not requested. */
  readonly total?: { readonly count: number; readonly isEstimate: boolean }
  /** Absent on the last page. */
  readonly next?: Cursor
}
