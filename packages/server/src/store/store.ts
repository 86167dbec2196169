/**
 * Where objects live. One engine a folder (`sqlite/`, `postgres/`); `contract/` holds every promise below as a test and
 * runs on each of them.
 */
export interface Store extends AsyncDisposable {
  /** For people: engine and place, never a password. */
  readonly description: string

  /** Resolves when the database answers. */
  ping(): Promise<void>

  /**
   * Makes room for a model and its indexes. Callers on other replicas may do the same at the same time; opening again
   * with the same declaration changes nothing.
   *
   * A declaration of a higher edition replaces the one before, for every replica at once: indexes that it no longer has are
   * gone, new ones are filled by every write from then on and can be used once they are built. Whoever still writes or
   * lists by the former declaration, or opens it, is told so by `StaleModel` and nothing is done.
   */
  openModel(declaration: ModelDeclaration): Promise<void>

  /**
   * Ends a model that has no objects: from then on whoever writes or lists by its declaration is told so by `StaleModel`. A
   * declaration of a higher edition opens it again. Answers false, and does nothing, when there are objects.
   */
  closeModel(model: ModelKey): Promise<boolean>

  /**
   * Gives every object its entries in the new indexes of a model, while everybody goes on writing; resolves when all are
   * ready, whoever built them. One replica at a time is at it; when it dies another one goes on from where it was. Throws
   * `DuplicateValues` when a unique index cannot be; called again it tries again.
   */
  buildIndexes(model: ModelKey, options: BuildOptions): Promise<void>

  /** How far the building is, whoever does it; undefined when every index is ready. */
  indexBuild(model: ModelKey): Promise<IndexBuild | undefined>

  /**
   * The one write entry; a single write is a batch of one. All operations commit together or none does, and once the
   * promise resolves they are durable, index entries and change log included. Results are in the order of the
   * operations; they are done by model and name, whatever order they come in, so that no two batches can wait for each
   * other. No object may appear twice in a batch.
   *
   * Throws `WriteConflict` for the first operation, in that order, that could not be done; it carries the stored object, so that
   * trying again needs no further read. Of several writers racing for a name, a unique value or a version, one wins.
   *
   * With a fence, the write is done only while that lease is held, or throws `FenceLost`; whoever takes the lease over
   * waits for it.
   *
   * With guards, only while they hold, or throws `GuardFailed`; what goes `also` is done with it, or not at all.
   *
   * A dry run answers, or throws, what the write would, and leaves nothing behind.
   */
  write(operations: readonly WriteOperation[], options?: WriteOptions): Promise<readonly WriteResult[]>

  /** One statement on tables that are no model's: credentials, and what else must never be part of an object. */
  sql(statement: SqlStatement): Promise<readonly SqlRow[]>

  /** Reads what is committed now, whoever wrote it; undefined when there is no such object. */
  get(model: ModelKey, name: string): Promise<StoredObject | undefined>

  /**
   * One page of the objects that every term selects. Items, total and revision are of one snapshot. Without a sort
   * the newest come first; every sort ends in creation order, in the direction of its last key. An object without a
   * value sorts first ascending and last descending. Keys compare as their UTF-8 bytes.
   *
   * A term or sort on an index that is not built yet throws `IndexBuilding`, which says how far it is.
   *
   * Pages chained by `next` neither repeat nor skip an object whose sort keys do not change meanwhile, at a cost that
   * does not grow with their depth.
   */
  list(model: ModelKey, query: ListQuery): Promise<StoredPage>

  /** The place behind the newest change that is in order. */
  head(): Promise<Revision>

  /**
   * The changes behind a place, oldest first, of all models: every committed change exactly once, those of one object in
   * the order of their commits, and the same order for every reader. Nothing ever appears at a place already passed.
   * Behind the revision of a list come exactly the changes that the list does not show, for the list's model.
   *
   * When there are none yet, waits for some until `waitMs` have passed. Throws `RevisionExpired` for a place that is no
   * longer kept, or that this database never gave out.
   */
  readChanges(after: Revision, options: ReadChangesOptions): Promise<ChangeBatch>

  /** The same for those who carry it to other replicas; none where there can be no other. */
  readonly packedLog?: PackedLog

  /**
   * Forgets the oldest changes, a good stretch at a time: those older than `keepMs`, and as many more as it takes to come
   * below `maxBytes`. The newest stay. A reader whose place is gone gets `RevisionExpired`, never a gap. Every replica may
   * call it at any time.
   */
  compact(retention: Retention): Promise<void>

  /**
   * Takes a lease that is free or has run out, or renews it for the same holder; undefined while somebody else holds it.
   * A lease taken over has another token, and no write fenced by the old one can be done from then on.
   */
  acquireLease(name: string, options: { readonly holder: string; readonly ttlMs: number }): Promise<Lease | undefined>

  /** Gives a lease back; harmless when it has been lost. */
  releaseLease(lease: Lease): Promise<void>

  /** The names of the leases that somebody holds now, of those that begin so. */
  heldLeases(prefix: string): Promise<readonly string[]>
}

export interface WriteOptions {
  readonly fence?: Lease
  readonly dryRun?: boolean
  readonly guards?: readonly Guard[]
  /** On tables that are no model's. */
  readonly also?: readonly SqlStatement[]
}

/**
 * What must hold at the moment a write commits. Whoever changes what a guard names waits until the write is done, or the
 * write waits for them and then sees what they did.
 */
export type Guard =
  /** The object is there; in the state that was read, where that is said. */
  | {
      readonly is: 'there'
      readonly model: ModelKey
      readonly name: string
      readonly expected?: { readonly uid?: string; readonly version?: number }
    }
  /**
   * No object is selected, once the operations are done. Holds against others only as far as they need a row that the
   * operations write: creating what refers to an object goes with a guard that it is there.
   */
  | { readonly is: 'none'; readonly model: ModelKey; readonly where: Term }
  /**
   * Counts a counter up before any object is touched: whoever counts the same one waits until this write is done. With
   * `expected` only if it is still what was read, so that nobody else has counted since.
   */
  | { readonly is: 'counted'; readonly counter: string; readonly expected?: number }
  /** The statement answers no row, once the operations are done; as far against others. */
  | { readonly is: 'no row'; readonly statement: SqlStatement }

/** In words that both engines know; parameters are `$1` and so on. */
export interface SqlStatement {
  readonly text: string
  readonly values: readonly (string | number | Buffer | null)[]
  /** For one that is asked again and again: engines may keep it prepared under this name, which no other text has. */
  readonly name?: string
}

/** A bigint is text or a number, by the engine. */
export type SqlRow = Readonly<Record<string, string | number | Buffer | null>>

/** Proof of holding a lease. */
export interface Lease {
  readonly name: string
  readonly token: number
}

/** A place in the change log, to be handed on as it is; it proves itself when it is used. */
export type Revision = string & { readonly __revision: never }

/** What a revision says of the log alone. */
export interface Place {
  /** Dense, from 1 on; 0 is the place before the first change. */
  readonly number: number
  /** Given to the batch that this number belongs to, at random: a restored or diverged database has another one there. */
  readonly tag: string
}

export interface Retention {
  /** Younger changes are kept, unless they take too much room. */
  readonly keepMs: number
  readonly maxBytes: number
}

export interface ReadChangesOptions {
  /** At most this many changes. */
  readonly limit: number
  /** The batch ends early, behind the change that brings its data to this many bytes. */
  readonly maxBytes?: number
  readonly waitMs: number
  readonly signal?: AbortSignal
}

export interface ChangeBatch {
  readonly changes: readonly Change[]
  /** The place behind them. */
  readonly revision: Revision
  /** Where there were none: the moment, by `performance.now()`, up to which there are none. */
  readonly provenAt?: number
}

/**
 * What a change is made of stays packed on the way, and is understood where it arrives, by any replica on the same database.
 */
export interface PackedLog {
  /** As `readChanges`, from a place that no list gave out. */
  read(after: Revision, options: ReadChangesOptions): Promise<readonly PackedChange[]>
  /** At once, unless something of its model has to be read first. */
  unpack(about: string, data: Buffer): Change | Promise<Change>
}

export interface PackedChange {
  /** Behind it. */
  readonly place: Place
  /** Tells models apart. */
  readonly model: number
  readonly about: string
  /** The bytes of the object, a character each. */
  readonly data: string
}

export interface Change {
  readonly model: ModelKey
  readonly op: 'added' | 'modified' | 'deleted'
  /** As stored by this change, or as it was last. */
  readonly object: StoredObject
  readonly indexed: LoggedValues
  /** Before the change; absent where nothing that is indexed has changed. */
  readonly previous?: LoggedValues
  /** This change is the one that declared the object deleted, or that removed it without a word before. */
  readonly declared: boolean
  /** The place behind this change. */
  readonly revision: Revision
  /** The same as a number that compares, with what proves it. */
  readonly place: Place
  /** What the revision of a list calls it that shows it before it had a place. */
  readonly id: string
}

/** By the indexes there were when it was written: a younger one is not named. */
export interface LoggedValues extends IndexedValues {
  /** Of those indexes, by name: values of another form mean something else. */
  readonly forms: Readonly<Record<string, string>>
}

/** A table of objects: all versions of a kind share it. */
export interface ModelKey {
  readonly group: string
  readonly plural: string
}

export interface ModelDeclaration extends ModelKey {
  /** Of two declarations of a model the one with the higher edition holds; 0 when left out. */
  readonly edition?: number
  readonly indexes: readonly IndexDeclaration[]
  /** Pairs of indexes that are often filtered and sorted by together; they change speed, never results. */
  readonly composites?: readonly (readonly CompositePart[])[]
}

/**
 * What an index is called while it is built ahead of the declaration that will have it under its own name. That declaration
 * then finds it ready.
 */
export function nameAhead(index: string): string {
  return `next:${index}`
}

export interface IndexDeclaration {
  readonly name: string
  /** A set of values for each object instead of at most one. */
  readonly multi?: boolean
  /** No two objects may hold the same value. Holding none is never a duplicate. */
  readonly unique?: boolean
  /** What its values are made of; an index of another form is another index, and is built anew. */
  readonly form?: string
}

export interface CompositePart {
  readonly index: string
  readonly descending?: boolean
}

export interface BuildOptions {
  /** What is indexed of each object, in their order, as the declaration that holds now says. */
  readonly evaluate: (objects: readonly StoredObject[]) => Promise<readonly IndexedValues[]>
  /** Of the declaration that `evaluate` follows; when another one holds, `StaleModel` is thrown and nothing filled. */
  readonly edition?: number
  readonly signal?: AbortSignal
}

export interface IndexBuild {
  /** The names of the indexes that are not ready. */
  readonly indexes: readonly string[]
  /** Objects get their entries; then, on engines that do so afterwards, their order is made. */
  readonly phase: 'waiting' | 'filling' | 'ordering'
  readonly done: number
  readonly total: number
  /** Objects filled per second, of late; 0 when that is not known. */
  readonly perSecond: number
  readonly remainingMs?: number
}

/** What of an object can be selected and sorted by. Values are index keys: strings whose byte order is the value order. */
export interface IndexedValues {
  readonly labels: Readonly<Record<string, string>>
  /** By the name of a single-value index; absent or undefined means no value. */
  readonly single: Readonly<Record<string, string | undefined>>
  /** By the name of a multi-value index; absent means the empty set. Repeated values count once. */
  readonly multi: Readonly<Record<string, readonly string[]>>
}

/** What the caller says of an object that is written; the store never looks inside `data`, which may be any bytes but NUL. */
export interface ObjectContent {
  readonly data: Buffer
  /** The model version that `data` is written in. */
  readonly storedAs: string
  /** Has finalizers: deleting only declares it deleted. */
  readonly held: boolean
  readonly indexed: IndexedValues
  /** Of the declaration that `indexed` follows; 0 when left out. */
  readonly edition?: number
}

/** With `kept` nothing that is indexed changes, and it need not be known: for a new status, say. */
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
 * Replaces the content of the object that the caller has read. With the stored data again nothing changes and nothing
 * is logged. An object that was declared deleted and is no longer held is removed.
 */
export interface UpdateOperation {
  readonly type: 'update'
  readonly model: ModelKey
  readonly name: string
  /** Of the object as it was read; any other stored now is a conflict. */
  readonly expected: { readonly uid: string; readonly version: number }
  readonly content: UpdatedContent
  /** What people asked for has changed, not only metadata or status. */
  readonly newGeneration: boolean
  /**
   * The caller knows that labels and sets are as they were, which saves work. Should they differ after all, they are
   * written all the same.
   */
  readonly sameEntries?: boolean
}

/** Removes the object, or declares it deleted while it is held; once declared, again changes nothing. */
export interface DeleteOperation {
  readonly type: 'delete'
  readonly model: ModelKey
  readonly name: string
  readonly expected?: { readonly uid?: string; readonly version?: number }
}

export type WriteOperation = CreateOperation | UpdateOperation | DeleteOperation

export interface WriteResult {
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'declared' | 'removed'
  /** As stored now, or as it was last when it is removed. */
  readonly object: StoredObject
}

export interface StoredObject {
  readonly name: string
  readonly uid: string
  /** 0 when created, +1 with every stored change, its removal included. */
  readonly version: number
  /** 1 when created, +1 with every update that says so. */
  readonly generation: number
  /** Milliseconds since 1970, by the database's clock. */
  readonly createdAt: number
  /** When it was declared deleted. */
  readonly deletedAt?: number
  readonly storedAs: string
  readonly data: Buffer
}

export interface ListQuery {
  /** All must hold. */
  readonly where?: readonly Term[]
  readonly sort?: readonly SortKey[]
  /** At least 1. */
  readonly limit: number
  /** The page ends early, behind the object that brings its data to this many bytes. */
  readonly maxBytes?: number
  /** How many objects to pass over; not together with `after`. */
  readonly offset?: number
  /** Continue behind the page whose `next` this was; with the same terms and sort. */
  readonly after?: Cursor
  /**
   * `bounded` (the default) counts up to `boundedTotal` and estimates beyond; `exact` always counts; `none` saves the
   * work.
   */
  readonly total?: 'bounded' | 'exact' | 'none'
}

/** Up to this many matching objects are counted. */
export const boundedTotal = 10_000

/** A condition on a label or an index. Conditions on a set hold when one of its values fits; the negative ones when none does. */
export type Term =
  | { readonly label: string; readonly is: Condition }
  | { readonly field: string; readonly is: Condition }

export type Condition =
  | { readonly op: 'present' | 'absent' }
  | { readonly op: '=' | '>' | '>=' | '<' | '<=' | 'prefix'; readonly value: string }
  /** `not in` also holds where there is no value. */
  | { readonly op: 'in' | 'not in'; readonly values: readonly string[] }

export interface SortKey {
  /**
   * A single-value index, or what every model has: `metadata.name`, `metadata.creationTimestamp`,
   * `metadata.deletionTimestamp`.
   */
  readonly field: string
  readonly descending: boolean
}

/** A place in a sorted list, meaningful to the engine that made it. */
export type Cursor = string & { readonly __cursor: never }

export interface StoredPage {
  readonly items: readonly StoredObject[]
  /** The place of this snapshot in the change log. */
  readonly revision: Revision
  /** Absent when not asked for. */
  readonly total?: { readonly count: number; readonly isEstimate: boolean }
  /** Absent on the last page. */
  readonly next?: Cursor
}
