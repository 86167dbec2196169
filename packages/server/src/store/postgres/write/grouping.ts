import type { Pool } from 'pg'
import { kindOf } from '../../batch-order.ts'
import { createBatcher } from '../../batcher.ts'
import type { ModelKey, StoredObject, WriteOperation, WriteResult } from '../../store.ts'
import type { OpenModel } from '../catalog.ts'
import { multis, tableOf } from '../../model-table.ts'
import { isRefusal } from '../connection/keep-connections.ts'
import { binaryRows } from '../connection/named-client.ts'
import { objectColumns, toStoredObject, type ObjectRow } from '../object-row.ts'

/**
 * Measured with 16 callers on two cores, relative to a hand-written table: creates 0.64 in eight lanes, 0.74 in four, 0.77 in
 * two.
 */
const writeLanes = 2
const readLanes = 2
const maxBatch = 128

export interface WriteWays {
  readonly alone: (operation: WriteOperation) => Promise<WriteResult>
  /** An operation without a result was not done. */
  readonly together: (operations: readonly WriteOperation[]) => Promise<readonly (WriteResult | undefined)[]>
}

/** Group commit: single creates, updates or deletions of one model are batched when they arrive faster than they complete. */
export function createWriteGrouping({
  alone,
  together,
}: WriteWays): (operation: WriteOperation) => Promise<WriteResult> {
  const batchers = new Map<string, (operation: WriteOperation) => Promise<WriteResult | undefined>>()
  const run = async (operations: readonly WriteOperation[]) => {
    const [only] = operations
    return only && operations.length === 1 ? [await alone(only)] : together(operations)
  }
  return async (operation) => {
    const key = kindOf(operation)
    let batcher = batchers.get(key)
    if (!batcher) {
      batcher = createBatcher({ lanes: writeLanes, maxBatch, keyOf: ({ name }) => name, run, retryAlone: isRefusal })
      batchers.set(key, batcher)
    }
    return (await batcher(operation)) ?? alone(operation)
  }
}

/**
 * Models with unique sets are excluded: two objects may race for two values of a third, and such a batch could fail where
 * single writes would not.
 */
export function mayBeGrouped({ table }: OpenModel): boolean {
  return !multis(table).some(({ unique }) => unique)
}

/** Gets of one model are batched when they arrive faster than they complete. */
export function createReadGrouping(
  pool: Pool,
  find: (model: ModelKey) => OpenModel,
  together: boolean,
): (model: ModelKey, name: string) => Promise<StoredObject | undefined> {
  const batchers = new Map<number, (name: string) => Promise<StoredObject | undefined>>()
  return (model, name) => {
    const { table } = find(model)
    let batcher = batchers.get(table.id)
    if (!batcher) {
      const run = (names: readonly string[]) => readNames(pool, table, names)
      batcher = createBatcher({
        lanes: together ? readLanes : Number.POSITIVE_INFINITY,
        maxBatch,
        keyOf: (wanted) => wanted,
        run,
        retryAlone: () => false,
      })
      batchers.set(table.id, batcher)
    }
    return batcher(name)
  }
}

async function readNames(
  pool: Pool,
  table: OpenModel['table'],
  names: readonly string[],
): Promise<(StoredObject | undefined)[]> {
  const single = names.length === 1
  const { rows } = await pool.query<ObjectRow>({
    name: `get ${table.id} ${single}`,
    text: `SELECT ${objectColumns} FROM ${tableOf(table)} o WHERE name = ${single ? '$1' : 'ANY($1::text[])'}`,
    values: [single ? names[0] : names],
    ...binaryRows,
  })
  const byName = new Map(rows.map(toStoredObject).map((stored) => [stored.name, stored]))
  return names.map((name) => byName.get(name))
}
