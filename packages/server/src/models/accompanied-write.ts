import { ApiError } from '@pergola/api'
import { GuardFailed } from '../store/guard-failed.ts'
import type { Store, WriteOperation, WriteResult } from '../store/store.ts'
import { WriteConflict } from '../store/write-conflict.ts'
import type { Model, ObjectChange, WriteContext } from './model.ts'

/** Attempts when the accompanying objects change between reading and writing. */
const maxTries = 20

export interface AccompaniedWrite {
  readonly operation: WriteOperation
  readonly change: ObjectChange
  readonly context: WriteContext
  readonly dryRun: boolean
}

/**
 * Writes the object and everything that its model writes with it in one transaction; asks the model again after a lost race.
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
  for (let tries = 1; ; tries++) {
    const { operations = [], ...how } = (await model.rules.accompany?.(change, context)) ?? {}
    try {
      const [result] = await store.write([operation, ...operations], { dryRun, ...how })
      if (!result) throw new Error('a write answered nothing')
      return result
    } catch (error) {
      const ofOthers = error instanceof WriteConflict && operations.includes(error.operation)
      if (!(error instanceof GuardFailed) && !ofOthers) throw error
      if (tries === maxTries) {
        throw new ApiError(
          'VersionConflict',
          `objects that are written together with ${model.singular} "${change.name}" keep changing; retry`,
          {
            cause: error,
          },
        )
      }
    }
  }
}
