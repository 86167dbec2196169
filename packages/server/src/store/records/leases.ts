import { sql, statement } from '../sql.ts'
import type { Store } from '../store.ts'

/** The names of all leases that were ever acquired and begin with the prefix. */
export async function leaseNames(store: Store, prefix: string): Promise<readonly string[]> {
  const text = `SELECT name FROM leases WHERE substr(name, 1, ${prefix.length}) = $1`
  return (await store[sql](statement(text, [prefix]))).map((row) => String(row['name']))
}
