import {
  labelTableOf,
  multis,
  setTableOf,
  tableOf,
  type ModelTable,
} from '../../../../packages/server/src/store/model-table.ts'
import type { Check } from './check.ts'

/** The side tables match the rows exactly. */
export function entryChecks(model: ModelTable): readonly Check[] {
  const rows = tableOf(model)
  const labels = labelTableOf(model)
  return [
    ...bothWays(
      labels,
      `SELECT m.id, l.key COLLATE "C" AS key, l.value COLLATE "C" AS value FROM ${rows} m, jsonb_each_text(m.labels) l`,
      `SELECT id, key, value FROM ${labels}`,
    ),
    ...multis(model).flatMap(({ slot }) => {
      const set = setTableOf(model, slot)
      return bothWays(
        set,
        `SELECT m.id, v.value COLLATE "C" AS value FROM ${rows} m, jsonb_array_elements_text(m.sets -> '${slot}') v (value)`,
        `SELECT id, value FROM ${set}`,
      )
    }),
  ]
}

function bothWays(table: string, ofRows: string, ofTable: string): readonly Check[] {
  return [
    { says: `a row has what ${table} has not`, sql: `${ofRows} EXCEPT ALL ${ofTable}` },
    { says: `${table} has what no row has`, sql: `${ofTable} EXCEPT ALL ${ofRows}` },
  ]
}
