import { storeFields } from '../object-row.ts'
import { tableOf, type ModelTable } from '../../model-table.ts'
import { labelsRemoved, setsRemoved } from './side-table-sql.ts'
import {
  allKeysOf,
  appliedSql,
  conditionOf,
  inGivenOrder,
  refuseOldSnapshot,
  storedSql,
  type Column,
  type Form,
} from '../connection/statement-form.ts'

const deleteColumns: readonly Column[] = [
  ['name', 'text'],
  ['uid', 'uuid'],
  ['version', 'bigint'],
]

export function deleteQuickSql(model: ModelTable, form: Form): string {
  return `
  WITH gone AS (
    DELETE FROM ${tableOf(model)} m USING (
      SELECT input.*, n.id, n.version AS seen, n.index_generation AS seen_generation
      FROM ${form.rows(deleteColumns)} JOIN ${tableOf(model)} n USING (name) ORDER BY name
    ) i
    WHERE m.id = i.id AND m.version = i.seen AND m.index_generation = i.seen_generation AND NOT m.held AND m.uid = coalesce(i.uid, m.uid) AND m.version = coalesce(i.version, m.version)
      AND ${conditionOf(model, form)}
    RETURNING m.*
  )${labelsRemoved(model, 'gone')}${setsRemoved(model, 'gone')},
  logged AS (
    INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, deleted_at, index_generation, stored_as,
      labels, sets, keys, data)
    SELECT nextval('change_id'), ${model.id}, 'd', id, name, uid, version + 1, generation,
      coalesce(deleted_at, $4::bigint), index_generation, stored_as, labels, sets, ${allKeysOf(model, 'gone')}, data
    FROM gone
    RETURNING id
  ),
  queued AS (INSERT INTO pending_changes (id, model) SELECT id, ${model.id} FROM logged)
  SELECT 'removed' AS outcome, ${storeFields({ row: 'gone' })} AS owned, data FROM gone`
}

/** Parameters: name, expected uid or null, expected version or null, now. Does nothing unless every operation can be done. */
export function deleteSql(model: ModelTable, form: Form): string {
  const table = tableOf(model)
  return `
  WITH ${storedSql(model, form, 'FOR UPDATE')},
  decided AS MATERIALIZED (
    SELECT s.*, ${form.inOrder ? 'i.ordinal, ' : ''}CASE
        WHEN i.uid IS NOT NULL AND s.uid <> i.uid THEN 'uid'
        WHEN i.version IS NOT NULL AND s.version <> i.version THEN 'version'
        ${refuseOldSnapshot}
        WHEN s.held AND s.deleted_at IS NOT NULL THEN 'unchanged'
        WHEN s.held THEN 'declared'
        ELSE 'removed'
      END AS outcome
    FROM stored s JOIN (SELECT * FROM ${form.rows(deleteColumns)}) i USING (name) LEFT JOIN seen n ON n.id = s.id
  ),
  ${appliedSql(form.count)},
  declared AS (
    UPDATE ${table} m SET version = m.version + 1, deleted_at = $4::bigint
    FROM applied a WHERE m.id = a.id AND a.outcome = 'declared'
  ),
  removed AS (DELETE FROM ${table} m USING applied a WHERE m.id = a.id AND a.outcome = 'removed'),
  gone AS MATERIALIZED (SELECT * FROM applied WHERE outcome = 'removed')
  ${labelsRemoved(model, 'gone')}${setsRemoved(model, 'gone')},
  logged AS (
    INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, deleted_at, index_generation, stored_as,
      labels, sets, keys, data)
    SELECT nextval('change_id'), ${model.id}, (CASE outcome WHEN 'removed' THEN 'd' ELSE 'r' END)::"char", id, name, uid,
      version + 1, generation, coalesce(deleted_at, $4::bigint), index_generation, stored_as,
      labels, sets, ${allKeysOf(model, 'applied')}, data
    FROM ${inGivenOrder(form)}
    RETURNING id
  ),
  queued AS (INSERT INTO pending_changes (id, model) SELECT id, ${model.id} FROM logged)
  SELECT outcome, ${storeFields({ row: 'decided' })} AS owned, data FROM decided`
}
