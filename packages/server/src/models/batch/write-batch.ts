import { ApiError, isApiError } from '@pergola/api'
import { objectNotFound } from '../../call/not-found.ts'
import { uuidv7 } from '../../base/uuid.ts'
import type { Caller } from '../../call/call.ts'
import { GuardFailed } from '../../store/guard-failed.ts'
import { keyOf } from '../../store/model-table.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { StoredObject, WriteOperation, WriteResult } from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import { createBatchState, type BatchState } from './batch-state.ts'
import { newObject, type WriteParts } from '../verbs/create.ts'
import type { Accompaniment, MayRefer, Model, ObjectChange, WriteContext } from '../model.ts'
import { assertTargets, targetGuards } from '../references.ts'
import type { JsonObject } from '../object.ts'
import { fromData } from '../object-bytes.ts'
import { patchedBody, type PatchType } from '../verbs/patch.ts'
import { assertSame, changeOf, isRemovedBy } from '../verbs/update.ts'
import { writeProblem } from '../verbs/write-errors.ts'

/** One operation of a batch, allowed and with its model. */
export type BatchOperation = { readonly model: Model } & (
  | { readonly verb: 'create'; readonly object: unknown }
  | { readonly verb: 'update'; readonly name: string; readonly part: 'object' | 'status'; readonly object: unknown }
  | {
      readonly verb: 'patch'
      readonly name: string
      readonly part: 'object' | 'status'
      readonly patchType: PatchType
      readonly object: unknown
    }
  /** `expected`: the name, uid and version that the client stated. */
  | { readonly verb: 'delete'; readonly name: string; readonly expected: Readonly<Record<string, unknown>> }
)

export interface BatchOptions {
  readonly caller: Caller
  /** See `WriteContext`. */
  readonly mayRefer: MayRefer
  readonly dryRun: boolean
}

/** The operation of a batch that could not be done, and why; nothing was written. */
export class OperationFailed extends Error {
  override readonly name = 'OperationFailed'
  /** Position in the batch, from 0. */
  readonly at: number
  override readonly cause: ApiError

  constructor(at: number, cause: ApiError) {
    super(`operation ${at}: ${cause.message}`)
    this.at = at
    this.cause = cause
  }
}

/** An operation as it will be written. */
interface Planned {
  readonly model: Model
  readonly name: string
  /** Whether the host chose the name. */
  readonly isNamedHere: boolean
  /** The object after the write, or before its deletion. */
  readonly object: JsonObject
}

/**
 * Writes all operations in one transaction, or none. Validates each operation by the rules of its verb, on the state after the
 * operations before it. Throws `OperationFailed` for the first operation that fails. Plans the whole batch again after a
 * concurrent write, unless the client stated a version that is no longer stored.
 */
export async function writeBatch(
  parts: WriteParts,
  operations: readonly BatchOperation[],
  options: BatchOptions,
): Promise<readonly StoredObject[]> {
  const turns = new Set(operations.flatMap(({ model: { rules } }) => (rules.inTurn ? [rules.inTurn] : [])))
  const write = () => writeInTurn(parts, operations, options)
  const [planned, results] = await [...turns].reduce((work, inTurn) => () => inTurn(work), write)()
  if (!options.dryRun) {
    for (const [at, { model, object }] of planned.entries()) {
      if (results[at]?.outcome !== 'unchanged') await model.rules.afterWrite?.(object)
    }
  }
  return results.map(({ object }) => object)
}

async function writeInTurn(
  parts: WriteParts,
  operations: readonly BatchOperation[],
  options: BatchOptions,
): Promise<readonly [readonly Planned[], readonly WriteResult[]]> {
  let planned: Planned[] = []
  const writeOnce = async () => {
    const state = createBatchState(parts.store, parts.clock)
    planned = []
    for (const [at, operation] of operations.entries()) {
      planned.push(await failingAt(at, () => plan(parts, state, { operation, options })))
    }
    const written = state.operations()
    const { guards, also } = state
    const results = await parts.store.write(written, { inOrder: true, guards, also, dryRun: options.dryRun })
    return [planned, planned.map((one) => resultOf(one, written, results))] as const
  }
  try {
    return await retryRaces(writeOnce, (error) => {
      refuse(error, planned)
      return true
    })
  } catch (error) {
    if (!(error instanceof GuardFailed) && !(error instanceof WriteConflict)) throw error
    throw new ApiError('VersionConflict', 'the objects of the batch keep changing; retry', { cause: error })
  }
}

/** Reports a problem of `work` as that of the operation at this index. */
export async function failingAt<Done>(at: number, work: () => Promise<Done>): Promise<Done> {
  try {
    return await work()
  } catch (error) {
    throw isApiError(error) ? new OperationFailed(at, error) : error
  }
}

/** Throws unless planning again can succeed. */
function refuse(error: unknown, planned: readonly Planned[]): void {
  if (error instanceof GuardFailed) return
  if (!(error instanceof WriteConflict)) throw error
  const at = planned.findIndex((one) => isOf(one, error.operation))
  const found = planned[at]
  const isFinal = ['duplicate', 'referred'].includes(error.kind) || (error.kind === 'exists' && !found?.isNamedHere)
  if (!isFinal || !found) return
  const problem = writeProblem(error, found.model)
  throw isApiError(problem) ? new OperationFailed(at, problem) : error
}

function isOf({ model, name }: Planned, operation: WriteOperation): boolean {
  return operation.name === name && keyOf(operation.model) === keyOf(model)
}

function resultOf(planned: Planned, written: readonly WriteOperation[], results: readonly WriteResult[]): WriteResult {
  const result = results[written.findIndex((operation) => isOf(planned, operation))]
  if (!result) throw new Error('a write answered nothing')
  return result
}

interface Wanted<Operation = BatchOperation> {
  readonly operation: Operation
  readonly options: BatchOptions
}

type Of<Verb> = Extract<BatchOperation, { verb: Verb }>

async function plan(parts: WriteParts, state: BatchState, { operation, options }: Wanted): Promise<Planned> {
  if (operation.verb === 'create') return planCreate(parts, state, { operation, options })
  const { model, name } = operation
  const stored = await state.store.get(model, name)
  if (!stored) throw objectNotFound(model.singular, name)
  if (operation.verb === 'delete') return planDelete(state, stored, { operation, options })
  return planUpdate(state, stored, { operation, options })
}

async function planCreate(
  { clock }: WriteParts,
  { store, add }: BatchState,
  { operation: { model, object: body }, options: { caller, mayRefer } }: Wanted<Of<'create'>>,
): Promise<Planned> {
  const { name, object, context, contentAs } = await newObject(model, { body, caller, store, mayRefer })
  const uid = uuidv7(clock.now())
  const accompanied = await accompany(model, { name, uid, after: object }, context)
  await add({ type: 'create', model, name, uid, content: contentAs(uid) }, undefined, accompanied)
  return { model, name, isNamedHere: object.metadata.name === undefined, object }
}

async function planUpdate(
  { store, add }: BatchState,
  stored: StoredObject,
  { operation, options: { caller, mayRefer } }: Wanted<Of<'update' | 'patch'>>,
): Promise<Planned> {
  const { verb, model, name, part, object: body } = operation
  const bodyFor = () =>
    verb === 'patch' ? patchedBody(model, stored, { type: operation.patchType, patch: body }) : body
  const changed = await changeOf(model, stored, { name, verb, part, caller, store, bodyFor, mayRefer })
  const { object, before, content, newGeneration, context } = changed
  const { uid, version } = stored
  const change = { name, uid, before, ...(!isRemovedBy(stored, content) && { after: object }) }
  const accompanied = await accompany(model, change, context)
  const update = { type: 'update' as const, model, name, expected: { uid, version }, content, newGeneration }
  await add(update, stored, accompanied)
  return { model, name, isNamedHere: false, object }
}

async function planDelete(
  { store, add }: BatchState,
  stored: StoredObject,
  { operation: { model, name, expected }, options: { caller } }: Wanted<Of<'delete'>>,
): Promise<Planned> {
  assertSame(model, stored, { metadata: expected })
  const before = fromData(stored.data)
  await refuseEffects(model, before, caller)
  const { uid, version } = stored
  const accompanied = await accompany(model, { name, uid, before }, { stored: before, caller, store })
  await add({ type: 'delete', model, name, expected: { uid, version } }, stored, accompanied)
  return { model, name, isNamedHere: false, object: { ...before, metadata: { name } } }
}

/** Effects of such a rule cannot be undone if a later operation fails. */
async function refuseEffects(model: Model, before: JsonObject, caller: Caller | undefined): Promise<void> {
  const { beforeDelete } = model.rules
  if (!beforeDelete) return
  await beforeDelete(before, { dryRun: true, ...(caller && { caller }) })
  throw new ApiError('BadRequest', `${model.plural} cannot be deleted in a batch; delete each with its own request`)
}

/** What the model writes and guards with the change, and guards for the objects that the change refers to. */
async function accompany(model: Model, change: ObjectChange, context: WriteContext): Promise<Accompaniment> {
  if (context.store) await assertTargets(context.store, model, change)
  const accompanied = (await model.rules.accompany?.(change, context)) ?? {}
  return { ...accompanied, guards: [...(accompanied.guards ?? []), ...targetGuards(model, change)] }
}
