import { multis, tableOf, type ModelTable } from '../../../../packages/server/src/store/model-table.ts'
import type { Check } from './check.ts'
import { keysOfRow } from './model.ts'

/** The log has every version of an object without gaps and ends with the stored state; with `whole` it begins at 0. */
export function logChecks(model: ModelTable, whole: boolean): readonly Check[] {
  return [...lifeChecks(model, whole), ...endChecks(model, whole), beforeCheck(model)]
}

function lifeChecks(model: ModelTable, whole: boolean): readonly Check[] {
  const changes = `FROM changes WHERE model = ${model.id}`
  return [
    {
      says: 'the versions of an object have a gap or a double in the log',
      sql: `SELECT uid, min(version) AS lowest, max(version) AS highest, count(*) AS changes ${changes} GROUP BY uid
        HAVING count(*) <> max(version) - min(version) + 1 OR count(DISTINCT version) <> count(*)
          ${whole ? 'OR min(version) <> 0' : ''}`,
    },
    {
      says: 'a change says "added" of another version than 0, or something else of that one',
      sql: `SELECT id, uid, version, op ${changes} AND (op = 'a') <> (version = 0)`,
    },
    {
      says: 'the log goes on behind a deletion',
      sql: `SELECT uid, version FROM (
          SELECT uid, version, lag(op) OVER (PARTITION BY uid ORDER BY version) AS before ${changes}
        ) told WHERE before IN ('d', 'e')`,
    },
  ]
}

function endChecks(model: ModelTable, whole: boolean): readonly Check[] {
  const rows = tableOf(model)
  const newest = `(
    SELECT c.* FROM changes c
    JOIN (SELECT uid, max(version) AS version FROM changes WHERE model = ${model.id} GROUP BY uid) n USING (uid, version)
    WHERE c.model = ${model.id}
  ) c`
  const unlogged = {
    says: 'a row is not in the log',
    sql: `SELECT m.id, m.name, m.uid FROM ${rows} m
      WHERE NOT EXISTS (SELECT FROM changes c WHERE c.model = ${model.id} AND c.uid = m.uid)`,
  }
  return [
    { says: 'two rows have one uid', sql: `SELECT uid FROM ${rows} GROUP BY uid HAVING count(*) > 1` },
    ...(whole ? [unlogged] : []),
    {
      says: 'a row is gone and the log has no deletion',
      sql: `SELECT c.uid, c.version, c.op FROM ${newest} LEFT JOIN ${rows} m ON m.uid = c.uid WHERE c.op NOT IN ('d', 'e') AND m.id IS NULL`,
    },
    {
      says: 'a row is there after its deletion',
      sql: `SELECT c.uid, c.version FROM ${newest} JOIN ${rows} m ON m.uid = c.uid WHERE c.op IN ('d', 'e')`,
    },
    {
      says: 'a row is not as its newest change says',
      sql: `SELECT * FROM (
          SELECT c.uid, c.version, ${differences(model)} AS differs FROM ${newest} JOIN ${rows} m ON m.uid = c.uid WHERE c.op NOT IN ('d', 'e')
        ) compared WHERE differs <> ''`,
    },
  ]
}

function differences(model: ModelTable): string {
  const plain = ['name', 'version', 'generation', 'deleted_at', 'stored_as', 'labels', 'data']
  const pairs = [
    ...plain.map((column) => [column, `c.${column}`, `m.${column}`] as const),
    ['id', 'c.object_id', 'm.id'],
    ['sets', sinceIndexes(model, declaredSets(model, 'c.sets')), sinceIndexes(model, declaredSets(model, 'm.sets'))],
    ['keys', sinceIndexes(model, 'c.keys'), sinceIndexes(model, keysOfRow(model, 'm'))],
  ]
  const cases = pairs.map(
    ([name, logged, stored]) => `CASE WHEN ${logged} IS DISTINCT FROM ${stored} THEN '${name}' END`,
  )
  return `concat_ws(', ', ${cases.join(', ')})`
}

/** The previous values in a change match the change before it, as long as the slots have the same meaning. */
function beforeCheck(model: ModelTable): Check {
  const previous = ['version', 'index_generation', 'labels', 'sets', 'keys']
  const lags = previous.map((column) => `lag(${column}) OVER (PARTITION BY uid ORDER BY version) AS before_${column}`)
  return {
    says: 'a change tells other values before it than the change before it',
    sql: `SELECT uid, version FROM (SELECT *, ${lags.join(', ')} FROM changes WHERE model = ${model.id}) c
      WHERE before_version = version - 1 AND before_index_generation = index_generation AND (
        coalesce(old_labels, labels) <> before_labels
        OR ${declaredSets(model, 'coalesce(old_sets, sets)')} <> ${declaredSets(model, 'before_sets')}
        OR coalesce(old_keys, keys) IS DISTINCT FROM before_keys
      )`,
  }
}

/** Only changes under the newest indexes; older ones do not have them, and the row was backfilled since. */
function sinceIndexes({ generation }: ModelTable, expression: string): string {
  return `CASE c.index_generation WHEN ${generation} THEN ${expression} END`
}

/** Without values of indexes that are no longer declared. */
function declaredSets(model: ModelTable, sets: string): string {
  const slots = multis(model).map(({ slot }) => `'${slot}'`)
  return `(SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(${sets}) WHERE key = ANY(ARRAY[${slots.join(', ')}]::text[]))`
}
