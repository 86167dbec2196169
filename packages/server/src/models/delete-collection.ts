import { ApiError } from '@pergola/api'
import type { Answer, Caller } from '../base/call.ts'
import { createPause } from '../base/pause.ts'
import type { StoredObject, Term } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import type { WriteParts } from './create.ts'
import { deleteStored } from './delete.ts'
import { jsonAnswer } from './json-answer.ts'
import { termsOf } from './list-query.ts'
import type { Model } from './model.ts'
import { fromData } from './object-bytes.ts'
import { flag, refuseUnknown } from './query-parameters.ts'

const batchSize = 100
/** Below the time a client waits for the first byte. */
const usualDeadlineMs = 20_000

const parameters = ['labelSelector', 'fieldSelector', 'all', 'dryRun']

export interface DeleteCollectionRequest {
  readonly query: URLSearchParams
  readonly caller?: Caller
  readonly dryRun?: boolean
  readonly deadlineMs?: number
}

interface Counts {
  deleted: number
  pending: number
}

/** Object by object, each as if it were deleted alone; what is created meanwhile may or may not be met. */
export async function deleteCollection(
  parts: WriteParts,
  model: Model,
  { query, caller, dryRun = false, deadlineMs = usualDeadlineMs }: DeleteCollectionRequest,
): Promise<Answer> {
  refuseUnknown(query, parameters)
  const all = flag(query, 'all')
  const where = termsOf(model, query)
  if (where.length === 0 && !all) {
    throw new ApiError(
      'BadRequest',
      `deleting ${model.plural} takes a labelSelector or fieldSelector; to delete all of them say all=true`,
    )
  }
  const counts: Counts = { deleted: 0, pending: 0 }
  const remaining = await deleteMatching(parts, model, { where, caller, dryRun, counts, deadlineMs })
  return jsonAnswer(200, Buffer.from(JSON.stringify({ ...counts, remaining })))
}

interface Deletion {
  readonly where: readonly Term[]
  readonly caller: Caller | undefined
  readonly dryRun: boolean
  readonly counts: Counts
  readonly deadlineMs: number
}

/** Answers whether the deadline came first. */
async function deleteMatching({ store }: WriteParts, model: Model, deletion: Deletion): Promise<boolean> {
  const { caller, dryRun, counts, deadlineMs } = deletion
  const live: Term = { field: 'metadata.deletionTimestamp', is: { op: 'absent' } }
  const where = [...deletion.where, live]
  const deadline = performance.now() + deadlineMs
  const pause = createPause()
  let page = await store.list(model, { where, limit: batchSize, total: 'none' })
  for (;;) {
    for (const stored of page.items) {
      await pause()
      if (performance.now() > deadline) return true
      const outcome = await deleteOne({ store, model, caller, dryRun }, stored)
      if (outcome === 'removed') counts.deleted++
      if (outcome === 'declared') counts.pending++
    }
    if (page.next === undefined) return false
    page = await store.list(model, { where, limit: batchSize, total: 'none', after: page.next })
  }
}

interface One {
  readonly store: WriteParts['store']
  readonly model: Model
  readonly caller: Caller | undefined
  readonly dryRun: boolean
}

/** Only as it was when it was found to match; one that has changed since is left alone. */
async function deleteOne({ store, model, caller, dryRun }: One, stored: StoredObject): Promise<string> {
  const { name } = stored
  try {
    const { outcome } = await deleteStored(store, model, { stored, caller, dryRun })
    if (!dryRun) await model.rules.afterWrite?.({ ...fromData(stored.data), metadata: { name } })
    return outcome
  } catch (error) {
    if (error instanceof WriteConflict) return 'changed'
    throw error
  }
}
