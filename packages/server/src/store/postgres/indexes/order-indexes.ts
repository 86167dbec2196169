import { DatabaseError, type Pool } from 'pg'
import { DuplicateValues, maxDuplicatePairs, type DuplicatePair } from '../../index-build.ts'
import { columnOf, setTableOf, tableOf, type IndexSlot, type ModelTable } from '../../model-table.ts'
import { btreesOf, compositeOf, createIndexSql, dropIndexSql, type Btree } from '../table-sql.ts'

/** Building a B-tree of a hundred million objects is slow, and so is waiting for old snapshots. */
const patienceMs = 24 * 3_600_000
const uniqueViolation = '23505'

/** Creates the B-trees of all indexes that are not ready, while writers continue. */
export async function orderIndexes(pool: Pool, table: ModelTable): Promise<void> {
  for (const index of table.indexes.filter(({ ready }) => !ready)) {
    for (const btree of btreesOf(table, index)) await orderUnlessDuplicate(pool, table, { index, btree })
  }
  for (const composite of table.composites.filter(({ ready }) => !ready)) {
    await order(pool, compositeOf(table, composite))
  }
}

async function orderUnlessDuplicate(
  pool: Pool,
  table: ModelTable,
  { index, btree }: { readonly index: IndexSlot; readonly btree: Btree },
): Promise<void> {
  try {
    await order(pool, btree)
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== uniqueViolation) throw error
    await run(pool, dropIndexSql(btree.name))
    throw new DuplicateValues(index.name, await findDuplicates(pool, table, index))
  }
}

/** An unfinished index is useless and blocks its name. */
async function order(pool: Pool, btree: Btree): Promise<void> {
  const { rows } = await pool.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [btree.name],
  )
  if (rows[0]?.valid) return
  if (rows[0]) await run(pool, dropIndexSql(btree.name))
  await run(pool, createIndexSql(btree, 'concurrently'))
}

/** For long statements: the pool's own timeout is for requests. */
export async function run(pool: Pool, text: string): Promise<void> {
  const config = { text, query_timeout: patienceMs }
  await pool.query(config)
}

async function findDuplicates(
  pool: Pool,
  table: ModelTable,
  { slot, multi }: IndexSlot,
): Promise<readonly DuplicatePair[]> {
  const objects = tableOf(table)
  const holders = multi
    ? `SELECT s.value, o.name, o.id FROM ${setTableOf(table, slot)} s JOIN ${objects} o USING (id)`
    : `SELECT ${columnOf(slot)} AS value, name, id FROM ${objects} WHERE ${columnOf(slot)} IS NOT NULL`
  const { rows } = await pool.query<DuplicatePair>(
    `SELECT value, (array_agg(name ORDER BY id))[1] AS first, (array_agg(name ORDER BY id))[2] AS second
     FROM (${holders}) held GROUP BY value HAVING count(*) > 1 ORDER BY value LIMIT ${maxDuplicatePairs}`,
  )
  return rows
}
