import { sql, statement, type SqlStatement } from '../sql.ts'
import type { Guard, Store } from '../store.ts'

type Counted = Extract<Guard, { is: 'counted' }>

/** The number of times that guards have incremented the counter. */
export async function readCounter(store: Pick<Store, typeof sql>, counter: string): Promise<number> {
  const text = 'SELECT count FROM write_counters WHERE name = $1'
  const [row] = await store[sql](statement(text, [counter], 'read counter'))
  return Number(row?.['count'] ?? 0)
}

/** Returns a row if the counter was incremented; locks the counter until the transaction ends. */
export function counterUp({ counter, expected }: Counted): SqlStatement {
  const insert = 'INSERT INTO write_counters (name, count) VALUES ($1, 1)'
  const update = 'ON CONFLICT (name) DO UPDATE SET count = write_counters.count + 1'
  if (expected === undefined) return statement(`${insert} ${update} RETURNING count`, [counter])
  return statement(`${insert} ${update} WHERE write_counters.count = $2 RETURNING count`, [counter, expected])
}

/**
 * The counter guards without duplicates, in one order for all writers. Guards with `expected` take precedence over one without.
 */
export function countersOf(guards: readonly Guard[]): readonly Counted[] {
  const counted = guards.filter((guard) => guard.is === 'counted')
  const sorted = counted.toSorted(
    (a, b) => (a.counter < b.counter ? -1 : Number(a.counter > b.counter)) || (b.expected ?? -1) - (a.expected ?? -1),
  )
  return sorted.filter(({ counter, expected }, at) => {
    const before = sorted[at - 1]
    return before?.counter !== counter || (expected !== undefined && before.expected !== expected)
  })
}
