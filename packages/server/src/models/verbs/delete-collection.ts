import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '@pergola/api'
import type { Caller } from '../../call/call.ts'
import { createPause } from '../../base/pause.ts'
import type { Clause, ListQuery, Store, StoredObject, Term, WriteResult } from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import type { WriteParts } from './create.ts'
import { deleteStored } from './delete.ts'
import { termsOf } from '../query/list-query.ts'
import { queryError } from '../../call/field-error.ts'
import type { Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'
import { flag, refuseUnknown } from '../query/query-parameters.ts'

/** Maximum number of objects read and deleted in one transaction. */
const batchSize = 400
/** Maximum bytes of a batch, because watchers receive a whole batch at once. */
const maxBatchBytes = 256 * 1024
/** Shorter than a client's timeout for the first byte. */
export const usualDeadlineMs = 20_000

const parameters = ['labelSelector', 'fieldSelector', 'all', 'dryRun']

export interface DeleteCollectionRequest {
  readonly query: URLSearchParams
  readonly caller?: Caller
  readonly dryRun?: boolean
  readonly deadlineMs?: number
  /** Aborted if the client disconnects; objects not yet deleted stay. */
  readonly signal?: AbortSignal
}

interface Counts {
  deleted: number
  pending: number
  /** Not deleted, because other objects refer to them. */
  refused: number
}

export interface DeletedCollection extends Readonly<Counts> {
  /** True if the deadline passed or the client disconnected before all objects were deleted. */
  readonly remaining: boolean
}

/** Deletes each object as a single delete would. Objects created meanwhile may or may not be deleted. */
export async function deleteCollection(
  parts: WriteParts,
  model: Model,
  { query, caller, dryRun = false, deadlineMs = usualDeadlineMs, signal }: DeleteCollectionRequest,
): Promise<DeletedCollection> {
  refuseUnknown(query, parameters)
  const all = flag(query, 'all')
  const where = termsOf(model, query)
  if (where.length === 0 && !all) {
    const message = `deleting ${model.plural} requires a labelSelector or fieldSelector; set all=true to delete all of them`
    throw new ApiError('BadRequest', message, { errors: [queryError('all', message)] })
  }
  const gone: Term = { field: 'metadata.deletionTimestamp', is: { op: 'present' } }
  const held = await parts.store.list(model, { where: [...where, gone], limit: 1 })
  const counts: Counts = { deleted: 0, pending: held.total?.count ?? 0, refused: 0 }
  const deadline = performance.now() + deadlineMs
  const isOver = () => performance.now() > deadline || signal?.aborted === true
  const remaining = await deleteMatching({ store: parts.store, model, caller, dryRun, isOver }, where, counts)
  return { ...counts, remaining }
}

interface Deletion {
  readonly store: Store
  readonly model: Model
  readonly caller: Caller | undefined
  readonly dryRun: boolean
  readonly isOver: () => boolean
}

/** Returns whether objects remain. */
async function deleteMatching(deletion: Deletion, selected: readonly Clause[], counts: Counts): Promise<boolean> {
  const { store, model, isOver } = deletion
  const live: Term = { field: 'metadata.deletionTimestamp', is: { op: 'absent' } }
  const query: ListQuery = { where: [...selected, live], limit: batchSize, maxBytes: maxBatchBytes, total: 'none' }
  const { beforeDelete, accompany, inTurn, afterWrite } = model.rules
  const hasRules = [beforeDelete, accompany, inTurn, afterWrite].some((rule) => rule !== undefined)
  const deletePage = hasRules ? deleteOneByOne : deleteTogether
  let page = await store.list(model, query)
  for (;;) {
    await nextTurn()
    if (isOver() || !(await deletePage(deletion, page.items, counts))) return true
    if (page.next === undefined) return false
    page = await store.list(model, { ...query, after: page.next })
  }
}

/** Deletes in one transaction. Skips objects that have changed since they matched. */
async function deleteTogether(
  { store, model, dryRun }: Deletion,
  found: readonly StoredObject[],
  counts: Counts,
): Promise<boolean> {
  let operations = found.map(({ name, uid, version }) => ({
    type: 'delete' as const,
    model,
    name,
    expected: { uid, version },
  }))
  while (operations.length > 0) {
    try {
      for (const { outcome } of await store.write(operations, { dryRun })) count(counts, outcome)
      return true
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
      if (error.kind === 'referred') counts.refused++
      operations = operations.filter(({ name }) => name !== error.operation.name)
    }
  }
  return true
}

/** For models whose rules check each object. Returns false when the deadline passed first. */
async function deleteOneByOne(
  { store, model, caller, dryRun, isOver }: Deletion,
  found: readonly StoredObject[],
  counts: Counts,
): Promise<boolean> {
  const pause = createPause()
  for (const stored of found) {
    await pause()
    if (isOver()) return false
    const { name, data } = stored
    try {
      count(counts, (await deleteStored(store, model, { stored, caller, dryRun })).outcome)
      if (!dryRun) await model.rules.afterWrite?.({ ...fromData(data), metadata: { name } })
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
      if (error.kind === 'referred') counts.refused++
    }
  }
  return true
}

function count(counts: Counts, outcome: WriteResult['outcome']): void {
  if (outcome === 'removed') counts.deleted++
  if (outcome === 'declared') counts.pending++
}
