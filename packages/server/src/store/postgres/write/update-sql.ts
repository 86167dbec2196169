import { storeFields } from '../object-row.ts'
import { tableOf, type ModelTable } from '../../model-table.ts'
import { labelsMoved, setsMoved } from './side-table-sql.ts'
import {
  allKeysOf,
  appliedSql,
  conditionOf,
  inGivenOrder,
  keyColumns,
  keysOf,
  oldKeysOf,
  refuseOldSnapshot,
  storedSql,
  type Column,
  type Form,
} from '../connection/statement-form.ts'

const keptColumns: readonly Column[] = [
  ['name', 'text'],
  ['uid', 'uuid'],
  ['version', 'bigint'],
  ['held', 'boolean'],
  ['stored_as', 'text'],
  ['step', 'int'],
  ['data', 'bytea'],
]

/** The source of an update's indexed values. */
interface Source {
  /** The parameters. */
  readonly columns: readonly Column[]
  /** The row that holds labels, sets and keys: `i` as given, `s` as stored. */
  readonly row: 'i' | 's'
  readonly keys: string
  readonly generation: string
}

export function givenSource(model: ModelTable): Source {
  const columns: readonly Column[] = [...keptColumns, ['labels', 'jsonb'], ['sets', 'jsonb'], ...keyColumns(model)]
  return { columns, row: 'i', keys: keysOf(model, 'i'), generation: String(model.generation) }
}

export function unchangedValuesSource(model: ModelTable): Source {
  return { columns: keptColumns, row: 's', keys: allKeysOf(model, 's'), generation: 's.index_generation' }
}

/**
 * Finds the rows in the snapshot and then updates their current state: a row that was changed meanwhile has another version and
 * is skipped.
 */
export function updateQuickSql(model: ModelTable, form: Form): string {
  const table = tableOf(model)
  const keys = keyColumns(model).map(([name]) => name)
  return `
  WITH changed AS (
    UPDATE ${table} m SET version = m.version + 1, generation = m.generation + i.step, index_generation = ${model.generation},
      held = i.held, stored_as = i.stored_as, data = i.data ${keys.map((key) => `, ${key} = i.${key}`).join('')}
    FROM (
      SELECT input.*, o.id, ${oldKeysOf(model, 'o')} AS old_keys, o.index_generation AS old_index_generation
      FROM ${form.rows(givenSource(model).columns)} JOIN ${table} o ON o.name = input.name AND o.version = input.version
      ORDER BY o.name
    ) i
    WHERE m.id = i.id AND m.version = i.version AND m.index_generation = i.old_index_generation AND m.uid = i.uid
      AND m.labels = i.labels AND m.sets = i.sets AND ${stillUsual} AND ${conditionOf(model, form)}
    RETURNING m.*, i.step, i.old_keys, i.old_index_generation
  ),
  logged AS (
    INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, deleted_at, index_generation, stored_as,
      labels, sets, keys, old_keys, old_index_generation, data)
    SELECT nextval('change_id'), ${model.id}, 'm', id, name, uid, version, generation, deleted_at, index_generation, stored_as,
      labels, sets, ${keysOf(model, 'changed')}, nullif(old_keys, ${keysOf(model, 'changed')}),
      nullif(old_index_generation, index_generation), data
    FROM changed
    RETURNING id
  ),
  queued AS (INSERT INTO pending_changes (id, model) SELECT id, ${model.id} FROM logged)
  ${updatedSql}`
}

/** Something changes, and the update does not remove an object that was declared deleted. */
const stillUsual = '(m.data <> i.data OR m.held <> i.held) AND (m.deleted_at IS NULL OR i.held)'

const updatedSql = `
  SELECT 'updated' AS outcome, null AS data,
    ${storeFields({ row: 'changed', version: 'version - 1', generation: 'generation - changed.step' })} AS owned
  FROM changed`

export function updateUnchangedQuickSql(model: ModelTable, form: Form): string {
  return `
  WITH changed AS (
    UPDATE ${tableOf(model)} m SET version = m.version + 1, generation = m.generation + i.step, held = i.held,
      stored_as = i.stored_as, data = i.data
    FROM (SELECT * FROM ${form.rows(keptColumns)} ORDER BY name) i
    WHERE m.name = i.name AND m.version = i.version AND m.uid = i.uid AND ${stillUsual} AND ${conditionOf(model, form)}
    RETURNING m.*, i.step
  ),
  logged AS (
    INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, deleted_at, index_generation, stored_as,
      labels, sets, keys, data)
    SELECT nextval('change_id'), ${model.id}, 'm', id, name, uid, version, generation, deleted_at, index_generation, stored_as,
      labels, sets, ${allKeysOf(model, 'changed')}, data
    FROM changed
    RETURNING id
  ),
  queued AS (INSERT INTO pending_changes (id, model) SELECT id, ${model.id} FROM logged)
  ${updatedSql}`
}

/**
 * Parameters: name, expected uid, expected version, held, stored as, new generation, data, then labels, sets and the
 * single-value keys unless they are kept. Does nothing unless every operation can be done.
 */
export function updateSql(model: ModelTable, form: Form, source: Source): string {
  const table = tableOf(model)
  const keys = keyColumns(model).map(([name]) => name)
  const { row } = source
  return `
  WITH ${storedSql(model, form, 'FOR NO KEY UPDATE')},
  decided AS MATERIALIZED (
    SELECT ${form.inOrder ? 'i.ordinal, ' : ''}i.name, s.id, s.version + 1 AS version, s.generation + i.step AS generation, i.held, s.deleted_at, i.stored_as,
      ${row}.labels, ${row}.sets, i.data, ${keys.map((key) => `${row}.${key}, `).join('')}
      ${source.keys} AS keys, ${source.generation} AS index_generation,
      s.uid, s.labels AS old_labels, s.sets AS old_sets, ${row === 's' ? source.keys : oldKeysOf(model, 's')} AS old_keys,
      s.index_generation AS old_index_generation,
      CASE
        WHEN s.uid <> i.uid THEN 'uid'
        WHEN s.version <> i.version THEN 'version'
        ${refuseOldSnapshot}
        WHEN s.data = i.data AND s.held = i.held THEN 'unchanged'
        WHEN s.deleted_at IS NOT NULL AND NOT i.held THEN 'removed'
        ELSE 'updated'
      END AS outcome
    FROM (SELECT * FROM ${form.rows(source.columns)}) i JOIN stored s USING (name) LEFT JOIN seen n ON n.id = s.id
  ),
  ${appliedSql(form.count)},
  changed AS (
    UPDATE ${table} m SET version = a.version, generation = a.generation, index_generation = a.index_generation,
      held = a.held, stored_as = a.stored_as, labels = a.labels, sets = a.sets, data = a.data
      ${keys.map((key) => `, ${key} = a.${key}`).join('')}
    FROM applied a WHERE m.id = a.id AND a.outcome = 'updated'
  ),
  removed AS (DELETE FROM ${table} m USING applied a WHERE m.id = a.id AND a.outcome = 'removed')
  ${labelsMoved(model)}${setsMoved(model)},
  logged AS (
    INSERT INTO changes (id, model, op, object_id, name, uid, version, generation, deleted_at, index_generation, stored_as,
      labels, sets, keys, old_labels, old_sets, old_keys, old_index_generation, data)
    SELECT nextval('change_id'), ${model.id}, (CASE outcome WHEN 'removed' THEN 'e' ELSE 'm' END)::"char", id, name, uid,
      version, generation, deleted_at, index_generation, stored_as, labels, sets, keys,
      nullif(old_labels, labels), nullif(old_sets, sets), nullif(old_keys, keys),
      nullif(old_index_generation, index_generation), data
    FROM ${inGivenOrder(form)}
    RETURNING id
  ),
  queued AS (INSERT INTO pending_changes (id, model) SELECT id, ${model.id} FROM logged)
  SELECT d.outcome, ${storeFields({ row: 's' })} AS owned,
    CASE WHEN d.outcome IN ('uid', 'version') THEN s.data END AS data
  FROM stored s JOIN decided d USING (name)`
}
