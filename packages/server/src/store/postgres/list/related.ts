import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { columnOf, danglingSql, references, setTableOf, tableOf, type ModelTable } from '../../model-table.ts'
import { StaleModel } from '../../stale-model.ts'
import type { CountedValues, ModelKey, StoredObject } from '../../store.ts'
import { orStaleModel } from '../catalog.ts'
import { binaryRows } from '../connection/named-client.ts'
import { storeFields, toStoredObject, type ObjectRow } from '../object-row.ts'
import { readyModel, type ListParts } from './list.ts'

interface Wanted {
  readonly names: readonly string[]
  readonly maxBytes: number
}

/** The database cannot store text with a NUL, so no object has such a name. */
const withoutNul = (texts: readonly string[]) => texts.filter((text) => !text.includes('\0'))

interface Found {
  readonly items: readonly StoredObject[]
  readonly isPartial: boolean
}

/** Objects of ordinary size need no running sum. */
export async function getMany(pool: Pool, table: ModelTable, { names, maxBytes }: Wanted): Promise<Found> {
  const share = Math.floor(maxBytes / Math.max(1, names.length))
  const found = await read(pool, table, { names, most: share, sum: 'octet_length(o.data)' })
  if (!found.isPartial) return found
  const sum = 'sum(octet_length(o.data)) OVER (ORDER BY o.name ROWS UNBOUNDED PRECEDING) - octet_length(o.data) + 1'
  return read(pool, table, { names, most: maxBytes, sum })
}

interface Reading {
  readonly names: readonly string[]
  /** Leaves out the data where `sum` is more. */
  readonly most: number
  readonly sum: string
}

async function read(pool: Pool, table: ModelTable, { names, most, sum }: Reading): Promise<Found> {
  const { rows } = await pool.query<{ readonly owned: string; readonly data: Buffer | null }>({
    name: `get many ${table.id} ${hash('sha256', sum, 'base64url')}`,
    text: `SELECT ${storeFields({ row: 'o' })} AS owned, CASE WHEN ${sum} <= $2 THEN o.data END AS data
      FROM ${tableOf(table)} o WHERE o.name = ANY($1::text[]) ORDER BY o.name`,
    values: [withoutNul(names), most],
    ...binaryRows,
  })
  const whole = rows.filter((row): row is ObjectRow => row.data !== null)
  return { items: whole.map(toStoredObject), isPartial: whole.length < rows.length }
}

export async function countValues(
  parts: Pick<ListParts, 'pool' | 'catalog'>,
  key: ModelKey,
  { index: name, values, limit }: CountedValues,
): Promise<ReadonlyMap<string, number>> {
  const { table } = await readyModel(parts, key, [name])
  const index = table.indexes.find((one) => one.name === name)
  if (!index) throw new StaleModel(key)
  const [rows, value] = index.multi ? [setTableOf(table, index.slot), 'value'] : [tableOf(table), columnOf(index.slot)]
  const counted = `SELECT FROM ${rows} o WHERE o.${value} = v.wanted COLLATE "C" LIMIT $2`
  const text = `SELECT v.wanted, (SELECT count(*) FROM (${counted}) counted)::int AS count,
      (SELECT edition FROM models WHERE id = ${table.id}) AS edition
    FROM unnest($1::text[]) v (wanted)`
  try {
    const found = await parts.pool.query<{ wanted: string; count: number; edition: string }>(text, [
      withoutNul(values),
      limit,
    ])
    // Under another edition, the column may belong to another index.
    if (found.rows.some(({ edition }) => Number(edition) !== table.edition)) throw new StaleModel(key)
    return new Map(found.rows.map(({ wanted, count }) => [wanted, count]))
  } catch (error) {
    throw orStaleModel(error, key)
  }
}

export async function countDangling(
  parts: Pick<ListParts, 'pool' | 'catalog'>,
  key: ModelKey,
  name: string,
): Promise<number> {
  const { table } = await readyModel(parts, key, [name])
  const reference = references(table).find((one) => one.name === name)
  if (!reference) throw new StaleModel(key)
  const target = await readyModel(parts, reference.refersTo, [])
  try {
    const { rows } = await parts.pool.query<{ count: string }>(danglingSql(table, reference, target.table))
    return Number(rows[0]?.count)
  } catch (error) {
    throw orStaleModel(error, key)
  }
}
