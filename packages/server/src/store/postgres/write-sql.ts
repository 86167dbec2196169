import { columnOf, labelTableOf, multis, setTableOf, singles, tableOf, type ModelTable } from '../model-table.ts'

/**
 * The write statements of one model. Each does everything in one round trip and so in one transaction: the object,
 * its side tables, the change and the pending row. The change is read from what the object's own statement returned:
 * its id is drawn while the row lock is held.
 *
 * `One` takes a value a parameter. `Many` takes arrays, one element an operation, sorted by name, so that two batches
 * can never wait for each other. They are two because the planner keeps a plan only for the first: with arrays it
 * plans anew each time, at three times the cost of the write itself.
 */
export interface WriteStatements {
  readonly createOne: string
  readonly createMany: string
  readonly updateOne: string
  readonly updateMany: string
  /** What is indexed stays as it is stored, and is not given. */
  readonly updateKeptOne: string
  readonly updateKeptMany: string
  readonly deleteOne: string
  readonly deleteMany: string
  /** For writes of several callers: does not wait long for a row that somebody holds, which would hold all of them. */
  readonly createGrouped: string
  readonly updateGrouped: string
  readonly updateKeptGrouped: string
  readonly deleteGrouped: string
  /**
   * For the usual case, at half the cost: the object is as expected, and neither labels nor sets change, or nothing holds
   * it. Answers the objects that it has changed; for the others nothing was done and the general statement has to decide.
   */
  readonly updateQuickOne: string
  readonly updateQuickMany: string
  readonly updateKeptQuickOne: string
  readonly updateKeptQuickMany: string
  readonly deleteQuickOne: string
  readonly deleteQuickMany: string
}

export function writeStatements(model: ModelTable): WriteStatements {
  return {
    createOne: createSql(model, one),
    createMany: createSql(model, many),
    updateOne: updateSql(model, one, givenSource(model)),
    updateMany: updateSql(model, many, givenSource(model)),
    updateKeptOne: updateSql(model, one, keptSource(model)),
    updateKeptMany: updateSql(model, many, keptSource(model)),
    deleteOne: deleteSql(model, one),
    deleteMany: deleteSql(model, many),
    createGrouped: createSql(model, grouped),
    updateGrouped: updateSql(model, grouped, givenSource(model)),
    updateKeptGrouped: updateSql(model, grouped, keptSource(model)),
    deleteGrouped: deleteSql(model, grouped),
    updateQuickOne: updateQuickSql(model, one),
    updateQuickMany: updateQuickSql(model, grouped),
    updateKeptQuickOne: updateKeptQuickSql(model, one),
    updateKeptQuickMany: updateKeptQuickSql(model, grouped),
    deleteQuickOne: deleteQuickSql(model, one),
    deleteQuickMany: deleteQuickSql(model, grouped),
  }
}

/** How a statement gets its operations. */
interface Form {
  /** The parameters as rows of the given columns. */
  readonly rows: (columns: readonly Column[]) => string
  /** The rows named by the first parameter. */
  readonly named: string
  readonly count: string
  readonly conditions: readonly string[]
}

type Column = readonly [name: string, type: string]

const one: Form = {
  rows: (columns) =>
    `(VALUES (${columns.map(([, type], at) => `$${at + 1}::${type}`).join(', ')})) AS input (${columns.map(([name]) => name).join(', ')})`,
  named: 'm.name = $1::text',
  count: '1',
  conditions: [],
}
const many: Form = {
  rows: (columns) =>
    `unnest(${columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')}) AS input (${columns.map(([name]) => name).join(', ')})`,
  named: 'm.name = ANY($1::text[])',
  count: 'cardinality($1)',
  conditions: [],
}
/** Set for this statement's own transaction, before it meets its first lock. */
const grouped: Form = { ...many, conditions: [`(SELECT set_config('lock_timeout', '50ms', true)) <> ''`] }

/**
 * That the model is still declared as this writer knows it. The function is true, and is gone once another edition holds: so
 * the statement cannot even be prepared, and costs nothing until then.
 */
export function currentEdition(model: Pick<ModelTable, 'id' | 'edition'>): string {
  return `${tableOf(model)}_edition_${model.edition}()`
}

function conditionOf(model: ModelTable, { conditions }: Form): string {
  return [currentEdition(model), ...conditions].join(' AND ')
}

function keyColumns(model: ModelTable): readonly Column[] {
  return singles(model).map(({ slot }) => [columnOf(slot), 'text'])
}

/** Parameters: name, uid, held, stored as, data, labels, sets, then the single-value keys. */
function createSql(model: ModelTable, form: Form): string {
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
  return `
  WITH written AS (
    INSERT INTO ${tableOf(model)} (id, version, generation, index_generation, ${names})
    SELECT new_object_id(), 0, 1, ${model.generation}, ${names} FROM ${form.rows(columns)} WHERE ${conditionOf(model, form)}
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
  SELECT name, id >> 20 AS created_at FROM written`
}

const keptColumns: readonly Column[] = [
  ['name', 'text'],
  ['uid', 'uuid'],
  ['version', 'bigint'],
  ['held', 'boolean'],
  ['stored_as', 'text'],
  ['step', 'int'],
  ['data', 'bytea'],
]

/** Where an update has its indexed values from. */
interface Source {
  /** The parameters. */
  readonly columns: readonly Column[]
  /** The row that holds labels, sets and keys: `i` as given, `s` as stored. */
  readonly row: 'i' | 's'
  readonly keys: string
  readonly generation: string
}

function givenSource(model: ModelTable): Source {
  const columns: readonly Column[] = [...keptColumns, ['labels', 'jsonb'], ['sets', 'jsonb'], ...keyColumns(model)]
  return { columns, row: 'i', keys: keysOf(model, 'i'), generation: String(model.generation) }
}

function keptSource(model: ModelTable): Source {
  return { columns: keptColumns, row: 's', keys: allKeysOf(model, 's'), generation: 's.index_generation' }
}

/**
 * Finds the rows in the snapshot and then changes them as they are: a row that was changed meanwhile has another version and
 * is left alone.
 */
function updateQuickSql(model: ModelTable, form: Form): string {
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

/** Something changes, and it is not the removal of an object that was declared deleted. */
const stillUsual = '(m.data <> i.data OR m.held <> i.held) AND (m.deleted_at IS NULL OR i.held)'

const updatedSql = `
  SELECT name, 'updated' AS outcome, uid, version - 1 AS version, generation - step AS generation, id >> 20 AS created_at,
    deleted_at, stored_as, null::bytea AS data
  FROM changed`

function updateKeptQuickSql(model: ModelTable, form: Form): string {
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
 * single-value keys unless they are kept. Does nothing at all unless every operation can be done.
 */
function updateSql(model: ModelTable, form: Form, source: Source): string {
  const table = tableOf(model)
  const keys = keyColumns(model).map(([name]) => name)
  const { row } = source
  return `
  WITH ${storedSql(model, form)},
  decided AS MATERIALIZED (
    SELECT i.name, s.id, s.version + 1 AS version, s.generation + i.step AS generation, i.held, s.deleted_at, i.stored_as,
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
    SELECT nextval('change_id'), ${model.id}, (CASE outcome WHEN 'removed' THEN 'd' ELSE 'm' END)::"char", id, name, uid,
      version, generation, deleted_at, index_generation, stored_as, labels, sets, keys,
      nullif(old_labels, labels), nullif(old_sets, sets), nullif(old_keys, keys),
      nullif(old_index_generation, index_generation), data
    FROM applied
    RETURNING id
  ),
  queued AS (INSERT INTO pending_changes (id, model) SELECT id, ${model.id} FROM logged)
  SELECT s.name, d.outcome, s.uid, s.version, s.generation, s.id >> 20 AS created_at, s.deleted_at, s.stored_as,
    CASE WHEN d.outcome IN ('uid', 'version') THEN s.data END AS data
  FROM stored s JOIN decided d USING (name)`
}

const deleteColumns: readonly Column[] = [
  ['name', 'text'],
  ['uid', 'uuid'],
  ['version', 'bigint'],
]

function deleteQuickSql(model: ModelTable, form: Form): string {
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
  SELECT name, 'removed' AS outcome, uid, version, generation, id >> 20 AS created_at, deleted_at, stored_as, data FROM gone`
}

/** Parameters: name, expected uid or null, expected version or null, now. Does nothing unless every operation can be done. */
function deleteSql(model: ModelTable, form: Form): string {
  const table = tableOf(model)
  return `
  WITH ${storedSql(model, form)},
  decided AS MATERIALIZED (
    SELECT s.*, CASE
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
    SELECT nextval('change_id'), ${model.id}, (CASE outcome WHEN 'removed' THEN 'd' ELSE 'm' END)::"char", id, name, uid,
      version + 1, generation, coalesce(deleted_at, $4::bigint), index_generation, stored_as,
      labels, sets, ${allKeysOf(model, 'applied')}, data
    FROM applied
    RETURNING id
  ),
  queued AS (INSERT INTO pending_changes (id, model) SELECT id, ${model.id} FROM logged)
  SELECT name, outcome, uid, version, generation, id >> 20 AS created_at, deleted_at, stored_as, data FROM decided`
}

/** All of them or none: an operation that cannot be done holds back the others. */
function appliedSql(count: string): string {
  return `applied AS MATERIALIZED (
    SELECT * FROM decided
    WHERE (SELECT count(*) = ${count} AND bool_and(outcome NOT IN ('uid', 'version')) FROM decided) AND outcome <> 'unchanged'
  )`
}

/**
 * The rows that an operation names: locked, as they are then, and as this statement's snapshot has them. Whoever was waited
 * for may have added labels and values that this statement cannot see, and so not remove.
 */
function storedSql(model: ModelTable, form: Form): string {
  return `seen AS MATERIALIZED (SELECT m.id, m.version, m.index_generation FROM ${tableOf(model)} m WHERE ${form.named}),
  stored AS MATERIALIZED (
    SELECT m.* FROM ${tableOf(model)} m WHERE ${form.named} AND ${conditionOf(model, form)} ORDER BY m.name FOR UPDATE
  )`
}

const refuseOldSnapshot =
  'WHEN (s.version, s.index_generation) IS DISTINCT FROM (n.version, n.index_generation) THEN refuse_old_snapshot()'

/** The single-value keys of a row as an array over the columns, so that a change can be read without its table. */
function keysOf(model: ModelTable, row: string): string {
  const used = new Set(singles(model).map(({ slot }) => slot))
  const elements = model.columns.map((slot) => (used.has(slot) ? `${row}.${columnOf(slot)}` : 'NULL'))
  return `ARRAY[${elements.join(', ')}]::text[]`
}

/** With those of former indexes: for a row that may have been written when they were there. */
function allKeysOf({ columns }: ModelTable, row: string): string {
  return `ARRAY[${columns.map((slot) => `${row}.${columnOf(slot)}`).join(', ')}]::text[]`
}

/** What a row held before, comparable with `keysOf` when it was written under the same indexes. */
function oldKeysOf(model: ModelTable, row: string): string {
  const [now, all] = [keysOf(model, row), allKeysOf(model, row)]
  return now === all ? now : `CASE ${row}.index_generation WHEN ${model.generation} THEN ${now} ELSE ${all} END`
}

/**
 * The database expects a hundred rows of such a function, and for so many it reads the whole side table. A limit that it
 * cannot know makes it expect a tenth.
 */
const few = (row: string, rows: string) => `LATERAL (SELECT * FROM ${rows} LIMIT 1000000 + ${row}.id % 2)`
const labelsOf = (row: string, column = 'labels') => few(row, `jsonb_each_text(${row}.${column})`)
const valuesOf = (row: string, set: string) => few(row, `jsonb_array_elements_text(${set}) v (value)`)

function labelsAdded(model: ModelTable, row: string): string {
  return `,
  labels_added AS (
    INSERT INTO ${labelTableOf(model)} (key, value, id)
    SELECT l.key, l.value, r.id FROM ${row} r, ${labelsOf('r')} l
  )`
}

function labelsRemoved(model: ModelTable, row: string): string {
  return `,
  labels_removed AS (
    DELETE FROM ${labelTableOf(model)} t USING ${row} r, ${labelsOf('r')} l
    WHERE t.key = l.key AND t.value = l.value AND t.id = r.id
  )`
}

/** What differs, and only that: deleting and inserting one row in one statement is refused as a duplicate. */
function labelsMoved(model: ModelTable): string {
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

function setsAdded(model: ModelTable, row: string): string {
  const parts = multis(model).map(
    ({ slot }) => `,
  set_added_${slot} AS (
    INSERT INTO ${setTableOf(model, slot)} (value, id)
    SELECT v.value, r.id FROM ${row} r, ${valuesOf('r', `r.sets -> '${slot}'`)} v ORDER BY v.value
  )`,
  )
  return parts.join('')
}

function setsRemoved(model: ModelTable, row: string): string {
  const parts = multis(model).map(
    ({ slot }) => `,
  set_removed_${slot} AS (
    DELETE FROM ${setTableOf(model, slot)} t USING ${row} r, ${valuesOf('r', `r.sets -> '${slot}'`)} v
    WHERE t.value = v.value AND t.id = r.id
  )`,
  )
  return parts.join('')
}

function setsMoved(model: ModelTable): string {
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
