import { objectNotFound } from '../../call/not-found.ts'
import type { Caller } from '../../call/call.ts'
import { isStale, retryRaces } from '../../store/retry-races.ts'
import type { Store, StoredObject, WriteResult } from '../../store/store.ts'
import { writeAccompanied } from './accompanied-write.ts'
import type { WriteParts } from './create.ts'
import { assertMatches, type Preconditions } from './etag.ts'
import type { Model } from '../model.ts'
import { fromData } from '../object-bytes.ts'
import { assertOwned, type OwnerScope } from './owner-scope.ts'
import { writeProblem } from './write-errors.ts'

export interface DeleteRequest extends Preconditions {
  readonly name: string
  readonly caller?: Caller
  readonly dryRun?: boolean
  readonly scope?: OwnerScope | undefined
}

/** Returns the object in its last state, or waiting for its finalizers to be removed. */
export async function deleteObject(parts: WriteParts, model: Model, request: DeleteRequest): Promise<StoredObject> {
  const { name, ifMatch, ifNoneMatch, scope } = request
  const { beforeDelete, accompany } = model.rules
  const hasRules = beforeDelete !== undefined || accompany !== undefined
  const isGuarded = (ifMatch ?? ifNoneMatch) !== undefined || scope !== undefined || hasRules
  const deleteOnce = isGuarded ? deleteRead : deleteAnyway
  try {
    return await retryRaces(async () => {
      const object = await deleteOnce(parts, model, request)
      if (!request.dryRun) await model.rules.afterWrite?.({ ...fromData(object.data), metadata: { name } })
      return object
    }, isStale)
  } catch (error) {
    throw writeProblem(error, model)
  }
}

async function deleteAnyway({ store }: WriteParts, model: Model, request: DeleteRequest): Promise<StoredObject> {
  const { name, dryRun = false } = request
  const [result] = await store.write([{ type: 'delete', model, name }], { dryRun })
  if (!result) throw new Error('a write answered nothing')
  return result.object
}

/** Deletes exactly the state that was read and checked. */
async function deleteRead({ store }: WriteParts, model: Model, request: DeleteRequest): Promise<StoredObject> {
  const { name, caller, dryRun = false } = request
  const stored = await store.get(model, name)
  if (!stored) throw objectNotFound(model.singular, name)
  assertOwned(model, stored, request.scope)
  assertMatches(request, stored, `${model.singular} "${name}"`)
  const { object } = await deleteStored(store, model, { stored, caller, dryRun })
  return object
}

interface Deletion {
  readonly stored: StoredObject
  readonly caller: Caller | undefined
  readonly dryRun: boolean
}

/** Deletes the object as it was read, together with what its model deletes with it. */
export async function deleteStored(
  store: Store,
  model: Model,
  { stored, caller, dryRun }: Deletion,
): Promise<WriteResult> {
  const { name, uid, version } = stored
  const before = fromData(stored.data)
  await model.rules.beforeDelete?.(before, { dryRun, ...(caller && { caller }) })
  const operation = { type: 'delete' as const, model, name, expected: { uid, version } }
  const context = { stored: before, ...(caller && { caller }) }
  return writeAccompanied(store, model, { operation, change: { name, uid, before }, context, dryRun })
}
