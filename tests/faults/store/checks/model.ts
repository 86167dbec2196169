import type { ClientBase } from 'pg'
import { columnOf, singles, type ModelTable } from '../../../../packages/server/src/store/model-table.ts'

/** Every model there is, opened by anybody or not. */
export async function readModels(client: ClientBase): Promise<readonly ModelTable[]> {
  const { rows } = await client.query<ModelTable>(
    'SELECT id, group_name AS group, plural, generation, indexes, composites FROM models ORDER BY id',
  )
  return rows
}

/** What `keys` of a change must be for a row: its single values by slot, null for the slots that are sets. */
export function keysOfRow(model: ModelTable, row: string): string {
  const slots = Math.max(0, ...model.indexes.map(({ slot }) => slot))
  const held = new Set(singles(model).map(({ slot }) => slot))
  const keys = Array.from({ length: slots }, (_, at) => (held.has(at + 1) ? `${row}.${columnOf(at + 1)}` : 'NULL'))
  return `ARRAY[${keys.join(', ')}]::text[]`
}
