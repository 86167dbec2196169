import { columnOf, singles, tableOf, type ModelTable } from '../../model-table.ts'

/** How a statement receives its operations. */
export interface Form {
  /** The parameters as rows with the given columns. */
  readonly rows: (columns: readonly Column[]) => string
  /** The rows named by the first parameter. */
  readonly named: string
  readonly count: string
  readonly conditions: readonly string[]
  /** Whether operations are logged in the order of the parameters; rows then have a column `ordinal`. */
  readonly inOrder: boolean
}

export type Column = readonly [name: string, type: string]

export const one: Form = {
  rows: (columns) =>
    `(VALUES (${columns.map(([, type], at) => `$${at + 1}::${type}`).join(', ')})) AS input (${namesOf(columns)})`,
  named: 'm.name = $1::text',
  count: '1',
  conditions: [],
  inOrder: false,
}
const unnested = (columns: readonly Column[]) =>
  `unnest(${columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')})`
const namesOf = (columns: readonly Column[]) => columns.map(([name]) => name).join(', ')

export const many: Form = {
  rows: (columns) => `${unnested(columns)} WITH ORDINALITY AS input (${namesOf(columns)}, ordinal)`,
  named: 'm.name = ANY($1::text[])',
  count: 'cardinality($1)',
  conditions: [],
  inOrder: true,
}
/** Sets the lock timeout for this statement's own transaction, before it takes its first lock. */
export const grouped: Form = {
  ...many,
  rows: (columns) => `${unnested(columns)} AS input (${namesOf(columns)})`,
  conditions: [`(SELECT set_config('lock_timeout', '10ms', true)) <> ''`],
  inOrder: false,
}

/**
 * Checks that the model still has the edition that this writer follows. The function returns true and is dropped when another
 * edition comes into force; then the statement cannot even be prepared. The check costs nothing until then.
 */
export function currentEdition(model: Pick<ModelTable, 'id' | 'edition'>): string {
  return `${tableOf(model)}_edition_${model.edition}()`
}

export function conditionOf(model: ModelTable, { conditions }: Form): string {
  return [currentEdition(model), ...conditions].join(' AND ')
}

export function keyColumns(model: ModelTable): readonly Column[] {
  return singles(model).map(({ slot }) => [columnOf(slot), 'text'])
}

/** The operations to log. A join leaves them in no particular order. */
export function inGivenOrder({ inOrder }: Form): string {
  return inOrder ? '(SELECT * FROM applied ORDER BY ordinal) AS applied' : 'applied'
}

/** All operations or none: one that cannot be done prevents the others. */
export function appliedSql(count: string): string {
  return `applied AS MATERIALIZED (
    SELECT * FROM decided
    WHERE (SELECT count(*) = ${count} AND bool_and(outcome NOT IN ('uid', 'version')) FROM decided) AND outcome <> 'unchanged'
  )`
}

/**
 * The rows that the operations name: locked, in their current state, and as this statement's snapshot shows them. A writer that
 * was waited for may have added labels and values that this statement cannot see and so cannot remove.
 * `FOR NO KEY UPDATE` does not wait for writers that create references to the rows, and they do not wait for it.
 */
export function storedSql(model: ModelTable, form: Form, lock: 'FOR UPDATE' | 'FOR NO KEY UPDATE'): string {
  return `seen AS MATERIALIZED (SELECT m.id, m.version, m.index_generation FROM ${tableOf(model)} m WHERE ${form.named}),
  stored AS MATERIALIZED (
    SELECT m.* FROM ${tableOf(model)} m WHERE ${form.named} AND ${conditionOf(model, form)} ORDER BY m.name ${lock}
  )`
}

export const refuseOldSnapshot =
  'WHEN (s.version, s.index_generation) IS DISTINCT FROM (n.version, n.index_generation) THEN refuse_old_snapshot()'

/** The single-value keys of a row as an array over the columns, so that a change can be read without its table. */
export function keysOf(model: ModelTable, row: string): string {
  const used = new Set(singles(model).map(({ slot }) => slot))
  const elements = model.columns.map((slot) => (used.has(slot) ? `${row}.${columnOf(slot)}` : 'NULL'))
  return `ARRAY[${elements.join(', ')}]::text[]`
}

/** Includes the keys of former indexes, for a row that may have been written when they existed. */
export function allKeysOf({ columns }: ModelTable, row: string): string {
  return `ARRAY[${columns.map((slot) => `${row}.${columnOf(slot)}`).join(', ')}]::text[]`
}

/** The previous keys of a row, comparable with `keysOf` if the row was written under the same indexes. */
export function oldKeysOf(model: ModelTable, row: string): string {
  const [now, all] = [keysOf(model, row), allKeysOf(model, row)]
  return now === all ? now : `CASE ${row}.index_generation WHEN ${model.generation} THEN ${now} ELSE ${all} END`
}
