import { ApiError } from '@pergola/api'
import { GuardFailed } from '../../store/guard-failed.ts'
import { retryRaces } from '../../store/retry-races.ts'
import type { Store, WriteOperation, WriteResult } from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import { assertTargets, targetGuards } from '../references.ts'
import type { Model, ObjectChange, WriteContext } from '../model.ts'

export interface AccompaniedWrite {
  readonly operation: WriteOperation
  readonly change: ObjectChange
  readonly context: WriteContext
  readonly dryRun: boolean
}

/**
 * Writes the object, and what its model writes with it, in one transaction. After a lost race it asks the model again.
 */
export async function writeAccompanied(store: Store, model: Model, write: AccompaniedWrite): Promise<WriteResult> {
  const { inTurn } = model.rules
  return inTurn ? inTurn(() => tryWriting(store, model, write)) : tryWriting(store, model, write)
}

async function tryWriting(
  store: Store,
  model: Model,
  { operation, change, context, dryRun }: AccompaniedWrite,
): Promise<WriteResult> {
  let accompanying: readonly WriteOperation[] = []
  const isLost = (error: unknown) =>
    error instanceof GuardFailed || (error instanceof WriteConflict && accompanying.includes(error.operation))
  try {
    return await retryRaces(async () => {
      const { operations = [], ...conditions } = (await model.rules.accompany?.(change, context)) ?? {}
      accompanying = operations
      const targets = operation.type === 'update' ? targetGuards(model, change) : []
      if (targets.length > 0) await assertTargets(store, model, change)
      const guards = [...(conditions.guards ?? []), ...targets]
      const [result] = await store.write([operation, ...operations], {
        dryRun,
        ...conditions,
        ...(guards.length > 0 && { guards }),
      })
      if (!result) throw new Error('a write answered nothing')
      return result
    }, isLost)
  } catch (error) {
    if (!isLost(error)) throw error
    const what = `objects that are written together with ${model.singular} "${change.name}"`
    throw new ApiError('VersionConflict', `${what} keep changing; retry`, { cause: error })
  }
}
