import type { ClientBase } from 'pg'
import { columnOf, keyOf, references, setTableOf, tableOf, type ModelTable, type Reference } from '../model-table.ts'
import type { ModelDeclaration, ModelKey } from '../store.ts'

/** SQLSTATE `restrict_violation`: the name of a row that was to be deleted is a value of another row. */
export const referredState = '23001'
/** SQLSTATE of an index that cannot answer yet whether it has the name. */
export const buildingState = '55000'

/** An index that refers to a model, and the table that has it. */
export interface Referrer {
  readonly from: Pick<ModelTable, 'id' | 'group' | 'plural'>
  readonly index: Reference
}

/**
 * Makes deletions from a table check its referrers. Replicas that have not heard of a new reference are checked too, because
 * the database runs the check. The body is replaced in the transaction that changes a referrer's catalog row: it names columns,
 * which are reused.
 */
export async function replaceCheck(
  client: ClientBase,
  target: Pick<ModelTable, 'id'>,
  referrers: readonly Referrer[],
): Promise<void> {
  const check = checkOf(target)
  const { rows } = await client.query<{ checked: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = $1::regclass AND tgname = $2) AS checked`,
    [tableOf(target), check],
  )
  const isChecked = rows[0]?.checked ?? false
  if (referrers.length === 0 && !isChecked) return
  await client.query(checkSql(target, referrers))
  if (isChecked) return
  await client.query(
    `CREATE TRIGGER ${check} AFTER DELETE ON ${tableOf(target)} FOR EACH ROW EXECUTE FUNCTION ${check}();
     CREATE TRIGGER ${check}_declared AFTER UPDATE OF deleted_at ON ${tableOf(target)} FOR EACH ROW
     WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION ${check}()`,
  )
}

const checkOf = (target: Pick<ModelTable, 'id'>): string => `${tableOf(target)}_referrers`

/**
 * Volatile, and run after the statement, so that its snapshot shows a referrer that was committed while the deletion waited for
 * the row lock. That holds only under READ COMMITTED.
 */
function checkSql(target: Pick<ModelTable, 'id'>, referrers: readonly Referrer[]): string {
  return `CREATE OR REPLACE FUNCTION ${checkOf(target)}() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $check$
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'references are checked under READ COMMITTED only';
    END IF;
    ${referrers.map((referrer) => branchSql(target, referrer)).join('\n')}
    RETURN NULL;
  END $check$`
}

function branchSql(target: Pick<ModelTable, 'id'>, { from, index }: Referrer): string {
  if (!index.ready) {
    return `RAISE EXCEPTION 'index building' USING ERRCODE = '${buildingState}', TABLE = ${quoted(from.plural)}, COLUMN = ${quoted(index.name)};`
  }
  // A row does not keep itself from being deleted.
  const other = from.id === target.id ? ' AND id <> OLD.id' : ''
  const named = index.multi
    ? `SELECT FROM ${setTableOf(from, index.slot)} WHERE value = OLD.name${other}`
    : `SELECT FROM ${tableOf(from)} WHERE ${columnOf(index.slot)} = OLD.name${other}`
  return `IF EXISTS (${named}) THEN
      RAISE EXCEPTION 'referred' USING ERRCODE = '${referredState}', DETAIL = OLD.name;
    END IF;`
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** One CTE for each model that the rows of `input` refer to, in one order for all writers, each after the one before. */
export function targetsSql(
  model: ModelTable,
  targets: ReadonlyMap<string, number>,
  wait: '' | ' SKIP LOCKED',
): { readonly ctes: string; readonly condition: string } {
  const byTarget = Map.groupBy(references(model), ({ refersTo }) => keyOf(refersTo))
  const keys = [...byTarget.keys()].toSorted()
  const ctes = keys.map((key, at) => {
    const names = (byTarget.get(key) ?? []).map(namesSql).join(' UNION ')
    const before = at === 0 ? '' : ` AND (SELECT count(*) FROM target_${at - 1}) >= 0`
    return `target_${at} AS MATERIALIZED (
      SELECT t.name FROM ${tableOf({ id: targetId(targets, key) })} t WHERE t.name IN (${names}) AND t.deleted_at IS NULL${before}
      ORDER BY t.name FOR KEY SHARE${wait}
    )`
  })
  const conditions = keys.flatMap((key, at) =>
    (byTarget.get(key) ?? []).map((index) => conditionSql(index, at, key === keyOf(model))),
  )
  return { ctes: ctes.join(',\n'), condition: conditions.join(' AND ') }
}

function targetId(targets: ReadonlyMap<string, number>, key: string): number {
  const id = targets.get(key)
  if (id === undefined) throw new Error(`the model ${key}, which another refers to, is not open`)
  return id
}

function namesSql({ slot, multi }: Reference): string {
  return multi
    ? `SELECT v.value FROM input i, jsonb_array_elements_text(i.sets -> '${slot}') v (value)`
    : `SELECT i.${columnOf(slot)} FROM input i WHERE i.${columnOf(slot)} IS NOT NULL`
}

function conditionSql({ slot, multi }: Reference, at: number, isOwn: boolean): string {
  const found = (value: string) => `${value} IN (SELECT name FROM target_${at})${isOwn ? ` OR ${value} = i.name` : ''}`
  return multi
    ? `NOT EXISTS (SELECT FROM jsonb_array_elements_text(i.sets -> '${slot}') v (value) WHERE NOT (${found('v.value')}))`
    : `(i.${columnOf(slot)} IS NULL OR ${found(`i.${columnOf(slot)}`)})`
}

/** The models that the indexes of these tables refer to, in the order in which everybody locks them. */
export function targetsOf(tables: readonly Pick<ModelDeclaration, 'indexes'>[]): readonly ModelKey[] {
  const found = tables.flatMap(({ indexes }) => indexes.flatMap(({ refersTo }) => (refersTo ? [refersTo] : [])))
  return [...new Map(found.map((key) => [keyOf(key), key])).entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, key]) => key)
}
