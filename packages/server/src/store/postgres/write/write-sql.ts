import { tableOf, type ModelTable } from '../../model-table.ts'
import { deleteQuickSql, deleteSql } from './delete-sql.ts'
import { targetsSql } from '../references.ts'
import { labelsAdded, setsAdded } from './side-table-sql.ts'
import {
  conditionOf,
  grouped,
  keyColumns,
  keysOf,
  many,
  one,
  type Column,
  type Form,
} from '../connection/statement-form.ts'
import { givenSource, unchangedValuesSource, updateUnchangedQuickSql, updateQuickSql, updateSql } from './update-sql.ts'

/**
 * The write statements of one model. Each does everything in one round trip and so in one transaction: the object, its side
 * tables, the change and the pending row. The change is built from the result of the object's own statement: its id is drawn
 * while the row lock is held.
 *
 * `One` takes one value per parameter. `Many` takes arrays with one element per operation, and logs in their order. Rows are
 * locked in the order of names, so that two batches cannot deadlock. Both exist because the planner caches a plan only for
 * `One`: with arrays it plans each time, at three times the cost of the write itself.
 */
export interface WriteStatements {
  readonly createOne: string
  readonly createMany: string
  readonly updateOne: string
  readonly updateMany: string
  /** Indexed values stay as stored and are not passed. */
  readonly updateKeptOne: string
  readonly updateKeptMany: string
  readonly deleteOne: string
  readonly deleteMany: string
  /** For writes of several callers: waits only briefly for a locked row, because the wait would delay all of them. */
  readonly createGrouped: string
  readonly updateGrouped: string
  readonly updateKeptGrouped: string
  readonly deleteGrouped: string
  /**
   * For the common case, at half the cost: the object is as expected, and an update changes neither labels nor sets, or the
   * object to delete is not held. Returns the changed objects; the others are untouched and need the general statement.
   */
  readonly updateQuickOne: string
  readonly updateQuickMany: string
  readonly updateKeptQuickOne: string
  readonly updateKeptQuickMany: string
  readonly deleteQuickOne: string
  readonly deleteQuickMany: string
}

export function writeStatements(model: ModelTable, targets: ReadonlyMap<string, number>): WriteStatements {
  return {
    createOne: createSql({ model, targets }, one),
    createMany: createSql({ model, targets }, many),
    updateOne: updateSql(model, one, givenSource(model)),
    updateMany: updateSql(model, many, givenSource(model)),
    updateKeptOne: updateSql(model, one, unchangedValuesSource(model)),
    updateKeptMany: updateSql(model, many, unchangedValuesSource(model)),
    deleteOne: deleteSql(model, one),
    deleteMany: deleteSql(model, many),
    createGrouped: createSql({ model, targets }, grouped),
    updateGrouped: updateSql(model, grouped, givenSource(model)),
    updateKeptGrouped: updateSql(model, grouped, unchangedValuesSource(model)),
    deleteGrouped: deleteSql(model, grouped),
    updateQuickOne: updateQuickSql(model, one),
    updateQuickMany: updateQuickSql(model, grouped),
    updateKeptQuickOne: updateUnchangedQuickSql(model, one),
    updateKeptQuickMany: updateUnchangedQuickSql(model, grouped),
    deleteQuickOne: deleteQuickSql(model, one),
    deleteQuickMany: deleteQuickSql(model, grouped),
  }
}

/** Ids descend when their sequence wraps within a millisecond: fails, so that the write is retried. */
const refuseDescending = 'CASE WHEN id < lag(id) OVER () THEN refuse_old_snapshot() END'

/**
 * Parameters: name, uid, held, stored as, data, labels, sets, then the single-value keys. A row whose values name an object that
 * does not exist is not created.
 */
function createSql(
  { model, targets }: { model: ModelTable; targets: ReadonlyMap<string, number> },
  form: Form,
): string {
  const columns: readonly Column[] = [
    ['name', 'text'],
    ['uid', 'uuid'],
    ['held', 'boolean'],
    ['stored_as', 'text'],
    ['data', 'bytea'],
    ['labels', 'jsonb'],
    ['sets', 'jsonb'],
    ...keyColumns(model),
  ]
  const names = columns.map(([name]) => name).join(', ')
  const checked =
    targets.size > 0 ? targetsSql(model, targets, form.inOrder || form === one ? '' : ' SKIP LOCKED') : undefined
  const rows = checked ? 'input i' : form.rows(columns)
  const given = checked ? `input AS MATERIALIZED (SELECT * FROM ${form.rows(columns)}),\n${checked.ctes},\n` : ''
  return `
  WITH ${given}written AS (
    INSERT INTO ${tableOf(model)} (id, version, generation, index_generation, ${names})
    SELECT new_object_id(), 0, 1, ${model.generation}, ${names} FROM ${rows}
    WHERE ${conditionOf(model, form)}${checked ? ` AND ${checked.condition}` : ''}
    RETURNING *
  )${labelsAdded(model, 'written')}${setsAdded(model, 'written')},
  logged AS (
    INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, index_generation, stored_as,
      labels, sets, keys, data)
    SELECT nextval('change_id'), ${model.id}, 'a', id, name, uid, version, generation, index_generation, stored_as,
      labels, sets, ${keysOf(model, 'written')}, data
    FROM written
    RETURNING id
  ),
  queued AS (INSERT INTO pending_changes (id, model) SELECT id, ${model.id} FROM logged)
  SELECT name, id${form.inOrder ? `, ${refuseDescending}` : ''} FROM written`
}
