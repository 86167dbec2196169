import { ApiError, isApiError } from '@pergola/api'
import { GuardFailed } from '../../store/guard-failed.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { SqlStatement, StoredObject, WriteOperation } from '../../store/store.ts'
import type { Caller } from '../../call/call.ts'
import { uuidv7 } from '../../base/uuid.ts'
import { WriteConflict, type ConflictKind } from '../../store/write-conflict.ts'
import { targetGuards } from '../references.ts'
import { newObject, type WriteParts } from '../verbs/create.ts'
import type { JsonObject } from '../object.ts'
import type { Accompaniment, Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'
import { changeOf } from '../verbs/update.ts'

/** The desired state of an object, whether it exists or not; without a body the object is deleted. */
export interface Wish {
  readonly model: Model
  readonly name: string
  /** The source of the desired state, for error messages. */
  readonly where?: string
  /** The plugin whose package declares the object. */
  readonly declaredBy?: string
  /** The caller who must hold what the object grants; by default the host itself. */
  readonly caller?: Caller | undefined
  /** Computes the body from the stored object. */
  readonly bodyFor?: (stored: StoredObject | undefined) => unknown
}

interface Planned extends Accompaniment {
  readonly operation: WriteOperation
  readonly model: Model
  /** The object after the write, or before its deletion. */
  readonly object: JsonObject
}

/**
 * For the host: brings several objects to their desired states in one transaction. Applies each model's checks and rules.
 */
export async function writeTogether(
  parts: WriteParts,
  wishes: readonly Wish[],
  { dryRun = false, also = [] }: { readonly dryRun?: boolean; readonly also?: readonly SqlStatement[] } = {},
): Promise<void> {
  const written = await retryRaces(async () => {
    const planned = (await Promise.all(wishes.map((wish) => planWish(parts, wish)))).filter((one) => one !== undefined)
    const all = <Item>(pick: (one: Planned) => readonly Item[] | undefined) => planned.flatMap((one) => pick(one) ?? [])
    const operations = [...planned.map(({ operation }) => operation), ...all((one) => one.operations)]
    const how = { dryRun, guards: all(({ guards }) => guards), also: [...also, ...all((one) => one.also)] }
    await parts.store.write(operations, how)
    return planned
  }, isLost)
  if (!dryRun) for (const { model, object } of written) await model.rules.afterWrite?.(object)
}

/** No races, because a retry does not help. */
const finalKinds: ReadonlySet<ConflictKind> = new Set(['duplicate', 'target', 'referred'])

/** Lost a race. */
function isLost(error: unknown): boolean {
  return error instanceof GuardFailed || (error instanceof WriteConflict && !finalKinds.has(error.kind))
}

async function planWish(parts: WriteParts, wish: Wish): Promise<Planned | undefined> {
  try {
    return await plan(parts, wish)
  } catch (error) {
    if (!isApiError(error) || wish.where === undefined) throw error
    throw new ApiError(error.reason, `${wish.where}: ${error.message}`, {
      cause: error,
      ...(error.params && { params: { ...error.params, where: wish.where } }),
    })
  }
}

async function plan({ store, clock }: WriteParts, wish: Wish): Promise<Planned | undefined> {
  const { model, name, bodyFor, declaredBy, caller } = wish
  const declared = { ...(declaredBy !== undefined && { declaredBy }), ...(caller && { caller }) }
  const stored = await store.get(model, name)
  const body = bodyFor?.(stored)
  if (!stored) {
    if (body === undefined) return undefined
    const { object, context, contentAs } = await newObject(model, { body, ...declared })
    const uid = uuidv7(clock.now())
    const operation = { type: 'create' as const, model, name, uid, content: contentAs(uid) }
    return { model, object, operation, ...(await model.rules.accompany?.({ name, uid, after: object }, context)) }
  }
  const { uid, version } = stored
  const expected = { uid, version }
  if (body === undefined) {
    const before = fromData(stored.data)
    const operation = { type: 'delete' as const, model, name, expected }
    const added = await model.rules.accompany?.({ name, uid, before }, { stored: before })
    return { model, object: { ...before, metadata: { name } }, operation, ...added }
  }
  const request = { name, bodyFor: () => body, ...declared }
  const { object, before, content, newGeneration, context } = await changeOf(model, stored, request)
  const operation = { type: 'update' as const, model, name, expected, content, newGeneration }
  const change = { name, uid, before, after: object }
  const added = await model.rules.accompany?.(change, context)
  return { model, object, operation, ...added, guards: [...(added?.guards ?? []), ...targetGuards(model, change)] }
}
