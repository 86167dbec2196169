import { ApiError } from '@pergola/api'
import type { Clock } from '../../base/clock.ts'
import { GuardFailed } from '../../store/guard-failed.ts'
import { keyOf } from '../../store/model-table.ts'
import { selects } from '../../store/selectable.ts'
import type {
  DeleteOperation,
  Guard,
  IndexedValues,
  ListQuery,
  ModelKey,
  SqlStatement,
  Store,
  StoredObject,
  StoredPage,
  UpdateOperation,
  WriteOperation,
} from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import type { Accompaniment } from '../model.ts'
import { fromData } from '../object-bytes.ts'

/**
 * Collects the operations of a batch before they are written. Rules read through `store`, which shows the stored objects as the
 * operations collected so far leave them. Everything that a rule has read is expected or guarded by the write, so a decision
 * made here still holds in the transaction, or the write fails and the batch is planned again.
 */
export interface BatchState {
  /** Reads only. A list is in no particular order. */
  readonly store: Store
  /** Adds an operation and its accompanying writes; `before` is the object as `store` showed it. */
  readonly add: (operation: WriteOperation, before: StoredObject | undefined, added?: Accompaniment) => Promise<void>
  /** One operation per object, in the order in which the objects were first written. */
  operations(): readonly WriteOperation[]
  readonly guards: readonly Guard[]
  readonly also: readonly SqlStatement[]
}

/** An object that the batch writes. */
interface Written {
  /** All operations on the object as one. */
  readonly operation: WriteOperation
  /** Undefined when the object is removed. */
  readonly now: StoredObject | undefined
  readonly indexed: IndexedValues | 'kept'
}

export function createBatchState(stored: Store, clock: Clock): BatchState {
  const written = new Map<string, Written>()
  const guards: Guard[] = []
  const also: SqlStatement[] = []
  const get: Store['get'] = async (model, name) => {
    const known = written.get(placeOf(model, name))
    return known ? known.now : stored.get(model, name)
  }
  const apply = async (operation: WriteOperation, before: StoredObject | undefined) => {
    const { model, name } = operation
    const place = placeOf(model, name)
    const earlier = written.get(place)
    const now = after(operation, before ?? (await get(model, name)), clock.now())
    const indexed = operation.type === 'delete' ? 'kept' : operation.content.indexed
    written.set(place, {
      operation: earlier ? combined(earlier.operation, operation) : operation,
      now,
      indexed: indexed === 'kept' && earlier ? earlier.indexed : indexed,
    })
  }
  return {
    store: {
      ...stored,
      get,
      list: async (model, query) => changedPage(await stored.list(model, query), query, writtenOf(written, model)),
      write: () => Promise.reject(new Error('the rules of a batch must not write')),
    },
    add: async (operation, before, { operations = [], guards: brought = [], also: statements = [] } = {}) => {
      guards.push(...brought.filter((guard) => !isMet(guard, written)))
      also.push(...statements)
      await apply(operation, before)
      for (const one of operations) await apply(one, undefined)
    },
    operations: () => [...written.values()].map(({ operation }) => operation),
    guards,
    also,
  }
}

function placeOf(model: ModelKey, name: string): string {
  return `${keyOf(model)}/${name}`
}

function writtenOf(written: ReadonlyMap<string, Written>, model: ModelKey): ReadonlyMap<string, Written> {
  const own = [...written.values()].filter(({ operation }) => keyOf(operation.model) === keyOf(model))
  return new Map(own.map((one) => [one.operation.name, one]))
}

/**
 * The store checks required objects before the operations. For an object that the batch itself writes, the operation on that
 * object expects the state that was read, so the requirement is decided here.
 */
function isMet(guard: Guard, written: ReadonlyMap<string, Written>): boolean {
  if (guard.is !== 'there' && guard.is !== 'target') return false
  const found = written.get(placeOf(guard.model, guard.name))
  if (!found) return false
  if (guard.is === 'target') {
    if (!found.now || found.now.deletedAt !== undefined) throw new GuardFailed(guard)
    return found.operation.type === 'create'
  }
  const { uid = found.now?.uid, version = found.now?.version } = guard.expected ?? {}
  if (!found.now || found.now.uid !== uid || found.now.version !== version) throw new GuardFailed(guard)
  return true
}

/** The object as the store will leave it; undefined when removed. */
function after(operation: WriteOperation, before: StoredObject | undefined, now: number): StoredObject | undefined {
  if (operation.type === 'create') {
    const { name, uid, content } = operation
    return { name, uid, version: 0, generation: 1, createdAt: now, storedAs: content.storedAs, data: content.data }
  }
  if (!before) throw new WriteConflict('missing', operation)
  const version = before.version + 1
  if (operation.type === 'delete') {
    const isHeld = (fromData(before.data).metadata.finalizers ?? []).length > 0
    if (!isHeld) return undefined
    return before.deletedAt === undefined ? { ...before, version, deletedAt: now } : before
  }
  const { content, newGeneration } = operation
  if (before.deletedAt !== undefined && !content.held) return undefined
  if (before.data.equals(content.data)) return before
  const { data, storedAs } = content
  return { ...before, version, generation: before.generation + Number(newGeneration), data, storedAs }
}

/** The store takes one operation per object: a second one is merged into the first. */
function combined(first: WriteOperation, second: WriteOperation): WriteOperation {
  if (second.type === 'create' || first.type === 'delete') throw writtenTwice(second)
  if (second.type === 'update') return withContent(first, second)
  if (first.type === 'create') throw writtenTwice(second)
  const { type, model, name }: DeleteOperation = second
  return { type, model, name, expected: first.expected }
}

function withContent(first: Exclude<WriteOperation, DeleteOperation>, second: UpdateOperation): WriteOperation {
  const { content } = second
  if (first.type === 'create') {
    return {
      ...first,
      content: { ...content, indexed: content.indexed === 'kept' ? first.content.indexed : content.indexed },
    }
  }
  const indexed = content.indexed === 'kept' ? first.content.indexed : content.indexed
  const { expected } = first
  return {
    ...second,
    expected,
    content: { ...content, indexed },
    newGeneration: first.newGeneration || second.newGeneration,
    sameEntries: false,
  }
}

function writtenTwice({ model, name }: WriteOperation): ApiError {
  return new ApiError(
    'Invalid',
    `${model.plural} "${name}" is also changed by an earlier operation of the batch; send the operations in two batches`,
  )
}

/** A page without the objects that are no longer selected. The last page also has those that are selected now. */
function changedPage(page: StoredPage, query: ListQuery, written: ReadonlyMap<string, Written>): StoredPage {
  if (written.size === 0) return page
  if (query.sort || query.offset !== undefined) throw new Error('the rules of a batch must not sort')
  const kept = page.items.flatMap((item) => {
    const change = written.get(item.name)
    if (!change) return [item]
    return change.now && change.indexed === 'kept' ? [change.now] : []
  })
  if (page.next !== undefined) return { ...page, items: kept }
  const selected = [...written.values()].flatMap(({ now, indexed }) => {
    if (!now || indexed === 'kept') return []
    const { name, createdAt, deletedAt } = now
    return selects(query.where ?? [], { indexed, name, createdAt, deletedAt }) ? [now] : []
  })
  return { ...page, items: [...kept, ...selected] }
}
