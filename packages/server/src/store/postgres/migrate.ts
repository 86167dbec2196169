import { DatabaseError, type ClientBase, type Pool } from 'pg'
import { retryRaces } from '../retry-races.ts'
import { usableNumber, missing, type Migration, type SchemaVersion } from '../schema-version.ts'
import { pluginLines } from '../host-tables.ts'
import { initialTables } from './initial-tables.ts'
import { quickPasses } from './quick-passes.ts'
import { separateSchemas } from './separate-schemas.ts'
import { inTransaction } from './write/transaction.ts'

/**
 * Append-only. The first creates all tables of schema 8, the oldest that can be upgraded. A later one only adds: servers of the
 * previous release keep working next to it; what they still need is removed one release later, which raises `lowestReader`.
 */
export const migrations: readonly Migration[] = [
  { number: 8, lowestReader: 8, sql: initialTables },
  { number: 9, lowestReader: 8, sql: 'ALTER TABLE leases ADD COLUMN replica text, ADD COLUMN about text' },
  // Unlogged: a crash of the database may lose log lines.
  { number: 10, lowestReader: 8, sql: `CREATE UNLOGGED TABLE plugin_lines ${pluginLines}` },
  { number: 11, lowestReader: 8, sql: separateSchemas },
  { number: 12, lowestReader: 8, sql: quickPasses },
]

/** As the function `installation_scope`, which an empty database does not have yet. */
const scope = `CASE coalesce(current_schema(), 'public') WHEN 'public' THEN '' ELSE ' ' || current_schema() END`

const history = `CREATE TABLE IF NOT EXISTS schema_migrations (
  number int PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now(),
  lowest_reader int
)`

/**
 * Replicas may start together: the second waits for the first, then finds nothing to do. Throws `UnusableSchema` before anything
 * is changed.
 */
export async function migrate(pool: Pool, known: readonly Migration[] = migrations): Promise<void> {
  // Running replicas lock the tables that a migration changes, in another order.
  await retryRaces(
    () => tryMigrating(pool, known),
    (error) => error instanceof DatabaseError && error.code === deadlockDetected,
  )
}

const deadlockDetected = '40P01'

async function tryMigrating(pool: Pool, known: readonly Migration[]): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('pergola schema' || ${scope}, 0))`)
    const needed = missing(usableNumber(await readSchema(client), known), known)
    if (needed.length === 0) return
    await client.query(history)
    await client.query('ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS lowest_reader int')
    for (const { number, lowestReader, sql } of needed) {
      await client.query(sql)
      await client.query('INSERT INTO schema_migrations (number, lowest_reader) VALUES ($1, $2)', [
        number,
        lowestReader,
      ])
    }
  })
}

/** A migration that records no lowest reader is for servers that know it. */
export async function readSchema(client: Pick<ClientBase, 'query'>): Promise<SchemaVersion> {
  const { rows: columns } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = to_regclass('schema_migrations') AND attname IN ('number', 'lowest_reader')`,
  )
  if (columns.length === 0) return { number: 0, lowestReader: 0 }
  const reader = columns.length === 2 ? 'coalesce(lowest_reader, number)' : 'number'
  const { rows } = await client.query<SchemaVersion>(
    `SELECT coalesce(max(number), 0) AS number, coalesce(max(${reader}), 0) AS "lowestReader" FROM schema_migrations`,
  )
  return rows[0] ?? { number: 0, lowestReader: 0 }
}
