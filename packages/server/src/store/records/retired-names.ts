import { sql, statement, type SqlStatement } from '../sql.ts'
import type { Guard, Store } from '../store.ts'

export async function isRetired(store: Store, name: string): Promise<boolean> {
  return (await store[sql](retired(name))).length > 0
}

export function notRetired(name: string): Guard {
  return { is: 'no row', statement: retired(name) }
}

export function retireName(name: string): SqlStatement {
  return statement('INSERT INTO retired_names (name) VALUES ($1) ON CONFLICT (name) DO NOTHING', [name])
}

function retired(name: string): SqlStatement {
  return statement('SELECT name FROM retired_names WHERE name = $1', [name])
}
