import { labelTableOf, multis, setTableOf, type ModelTable } from '../../model-table.ts'

/**
 * The planner expects a hundred rows from such a function and therefore reads the whole side table. A limit that it cannot
 * evaluate lowers the estimate to a tenth.
 */
const few = (row: string, rows: string) => `LATERAL (SELECT * FROM ${rows} LIMIT 1000000 + ${row}.id % 2)`
const labelsOf = (row: string, column = 'labels') => few(row, `jsonb_each_text(${row}.${column})`)
const valuesOf = (row: string, set: string) => few(row, `jsonb_array_elements_text(${set}) v (value)`)

export function labelsAdded(model: ModelTable, row: string): string {
  return `,
  labels_added AS (
    INSERT INTO ${labelTableOf(model)} (key, value, id)
    SELECT l.key, l.value, r.id FROM ${row} r, ${labelsOf('r')} l
  )`
}

export function labelsRemoved(model: ModelTable, row: string): string {
  return `,
  labels_removed AS (
    DELETE FROM ${labelTableOf(model)} t USING ${row} r, ${labelsOf('r')} l
    WHERE t.key = l.key AND t.value = l.value AND t.id = r.id
  )`
}

/** Only the differences: deleting and inserting the same row in one statement fails as a duplicate. */
export function labelsMoved(model: ModelTable): string {
  return `,
  labels_kept AS MATERIALIZED (
    SELECT id, old_labels, CASE outcome WHEN 'removed' THEN '{}' ELSE labels END AS labels
    FROM applied WHERE outcome = 'removed' OR old_labels <> labels
  ),
  labels_removed AS (
    DELETE FROM ${labelTableOf(model)} t USING labels_kept k, ${labelsOf('k', 'old_labels')} l
    WHERE t.key = l.key AND t.value = l.value AND t.id = k.id AND k.labels ->> l.key IS DISTINCT FROM l.value
  ),
  labels_added AS (
    INSERT INTO ${labelTableOf(model)} (key, value, id)
    SELECT l.key, l.value, k.id FROM labels_kept k, ${labelsOf('k')} l
    WHERE k.old_labels ->> l.key IS DISTINCT FROM l.value
  )`
}

export function setsAdded(model: ModelTable, row: string): string {
  const parts = multis(model).map(
    ({ slot }) => `,
  set_added_${slot} AS (
    INSERT INTO ${setTableOf(model, slot)} (value, id)
    SELECT v.value, r.id FROM ${row} r, ${valuesOf('r', `r.sets -> '${slot}'`)} v ORDER BY v.value
  )`,
  )
  return parts.join('')
}

export function setsRemoved(model: ModelTable, row: string): string {
  const parts = multis(model).map(
    ({ slot }) => `,
  set_removed_${slot} AS (
    DELETE FROM ${setTableOf(model, slot)} t USING ${row} r, ${valuesOf('r', `r.sets -> '${slot}'`)} v
    WHERE t.value = v.value AND t.id = r.id
  )`,
  )
  return parts.join('')
}

export function setsMoved(model: ModelTable): string {
  if (multis(model).length === 0) return ''
  const kept = `,
  sets_kept AS MATERIALIZED (
    SELECT id, old_sets, CASE outcome WHEN 'removed' THEN '{}' ELSE sets END AS sets
    FROM applied WHERE outcome = 'removed' OR old_sets <> sets
  )`
  const parts = multis(model).map(({ slot }) => {
    const before = `coalesce(k.old_sets -> '${slot}', '[]')`
    const after = `coalesce(k.sets -> '${slot}', '[]')`
    return `,
  set_removed_${slot} AS (
    DELETE FROM ${setTableOf(model, slot)} t USING sets_kept k, ${valuesOf('k', before)} v
    WHERE t.value = v.value AND t.id = k.id AND NOT jsonb_exists(${after}, v.value)
  ),
  set_added_${slot} AS (
    INSERT INTO ${setTableOf(model, slot)} (value, id)
    SELECT v.value, k.id FROM sets_kept k, ${valuesOf('k', after)} v
    WHERE NOT jsonb_exists(${before}, v.value) ORDER BY v.value
  )`
  })
  return [kept, ...parts].join('')
}
