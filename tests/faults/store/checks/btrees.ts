import { DatabaseError, type ClientBase } from 'pg'
import { tableOf, type ModelTable } from '../../../../packages/server/src/store/model-table.ts'
import { readModels } from './model.ts'

/**
 * Each index of a model matches its table: both are read completely, once by an index-only scan and once by a
 * sequential scan, and must give the same count and the same sum of hashes.
 */
export async function checkBtrees(client: ClientBase, model: ModelTable): Promise<readonly string[]> {
  const faults: string[] = []
  for (const index of await readIndexes(client, model)) {
    const byIndex = await readBy(client, index, 'index')
    const byTable = await readBy(client, index, 'table')
    if (byIndex.count !== byTable.count)
      faults.push(`the index ${index.name} has ${byIndex.count} entries, its table ${byTable.count} rows for them`)
    else if (byIndex.sum !== byTable.sum) faults.push(`the index ${index.name} has other values than its table`)
  }
  return faults
}

/** Runs the index checker of the database, if it has one. It sees the newest state, not a snapshot. */
export async function checkStructure(client: ClientBase): Promise<readonly string[]> {
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS amcheck')
  } catch {
    return []
  }
  const faults: string[] = []
  for (const model of await readModels(client)) {
    for (const { name } of await readIndexes(client, model)) {
      try {
        await client.query('SELECT bt_index_check($1::regclass, true)', [name])
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error
        faults.push(`${model.group}/${model.plural}: the index ${name} is broken: ${error.message}`)
      }
    }
  }
  return faults
}

interface Index {
  readonly name: string
  readonly table: string
  /** In its order. */
  readonly columns: readonly { readonly name: string; readonly direction: string }[]
  readonly condition: string
}

/** Indexes of the model's table and side tables that are ready. */
async function readIndexes(client: ClientBase, model: ModelTable): Promise<readonly Index[]> {
  const descending = '(option & 1) <> 0'
  const nullsFirst = '(option & 2) <> 0'
  const { rows } = await client.query<Index>(
    `SELECT i.indexrelid::regclass::text AS name, i.indrelid::regclass::text AS table,
       coalesce(pg_get_expr(i.indpred, i.indrelid), 'true') AS condition,
       (SELECT jsonb_agg(jsonb_build_object('name', pg_get_indexdef(i.indexrelid, place::int, false), 'direction',
            CASE WHEN ${descending} THEN 'DESC' ELSE 'ASC' END || CASE WHEN ${nullsFirst} THEN ' NULLS FIRST' ELSE ' NULLS LAST' END
          ) ORDER BY place) FROM unnest(i.indoption::int[]) WITH ORDINALITY AS o (option, place)) AS columns
     FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
     WHERE i.indisvalid AND t.relnamespace = current_schema::regnamespace AND t.relname ~ $1 ORDER BY 1`,
    [`^${tableOf(model)}(_l|_s[0-9]+)?$`],
  )
  return rows
}

/**
 * An index-only scan in the order of the index, which no other index can serve: the values come from the index, and only
 * whether the row is there comes from the table.
 */
async function readBy(
  client: ClientBase,
  index: Index,
  way: 'index' | 'table',
): Promise<{ count: string; sum: string }> {
  const byIndex = way === 'index'
  const settings = {
    enable_seqscan: !byIndex,
    enable_indexscan: false,
    enable_indexonlyscan: byIndex,
    enable_bitmapscan: false,
    enable_sort: false,
    max_parallel_workers_per_gather: 0,
  }
  for (const [name, value] of Object.entries(settings)) await client.query(`SET LOCAL ${name} = ${value}`)
  const columns = index.columns.map(({ name }) => name).join(', ')
  const order = index.columns.map(({ name, direction }) => `${name} ${direction}`).join(', ')
  const sql = `SELECT count(*) AS count, coalesce(sum(hashtextextended(ROW(${columns})::text, 0)::numeric), 0) AS sum
    FROM (SELECT ${columns} FROM ${index.table} WHERE ${index.condition} ${byIndex ? `ORDER BY ${order}` : ''}) entries`
  await assertPlan(client, sql, byIndex ? `Index Only Scan using ${index.name} on` : `Seq Scan on ${index.table}`)
  const { rows } = await client.query<{ count: string; sum: string }>(sql)
  for (const name of Object.keys(settings)) await client.query(`SET LOCAL ${name} TO DEFAULT`)
  return { count: rows[0]?.count ?? '', sum: rows[0]?.sum ?? '' }
}

async function assertPlan(client: ClientBase, sql: string, wanted: string): Promise<void> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS off) ${sql}`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  if (!plan.includes(wanted)) throw new Error(`${wanted} is wanted of the database, and it plans\n${plan}`)
}
