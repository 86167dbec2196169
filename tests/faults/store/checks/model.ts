import type { ClientBase } from 'pg'
import { columnOf, singles, type ModelTable } from '../../../../packages/server/src/store/model-table.ts'

/** All models of the catalog, open or not. */
export async function readModels(client: ClientBase): Promise<readonly ModelTable[]> {
  const { rows } = await client.query<ModelTable>(
    `SELECT id, group_name AS group, plural, edition::float8, generation, indexes, composites, columns, discarded,
       last_slot AS "lastSlot"
     FROM models ORDER BY id`,
  )
  return rows
}

/** What `keys` of a change that was written under the newest indexes must be for a row: its single values by column. */
export function keysOfRow(model: ModelTable, row: string): string {
  const used = new Set(singles(model).map(({ slot }) => slot))
  const keys = model.columns.map((slot) => (used.has(slot) ? `${row}.${columnOf(slot)}` : 'NULL'))
  return `ARRAY[${keys.join(', ')}]::text[]`
}
