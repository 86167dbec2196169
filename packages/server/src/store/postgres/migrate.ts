import type { ClientBase, Pool } from 'pg'
import { knownLogins, pluginPackages, revocationsAway, tokenNames, writeCounters } from '../other-tables.ts'
import { initial } from './migrations/0001-initial.ts'
import { feedKeys } from './migrations/0004-feed-keys.ts'
import { toldPasses } from './migrations/0008-told-passes.ts'
import { inTransaction } from './write/transaction.ts'

/**
 * Numbered and append-only. A migration only expands: servers of the previous release keep working next to it; what they still
 * need is removed one release later.
 */
export const migrations: readonly string[] = [
  initial,
  tokenNames,
  pluginPackages,
  feedKeys,
  writeCounters,
  knownLogins,
  revocationsAway,
  toldPasses,
]

const history = `CREATE TABLE IF NOT EXISTS schema_migrations (
  number int PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
)`

/**
 * Replicas may start together: the second waits for the first, then finds nothing to do. A replica that knows fewer migrations
 * than were applied uses the schema as it is.
 */
export async function migrate(pool: Pool, known: readonly string[] = migrations): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('pergola schema', 0))`)
    await client.query(history)
    const applied = await newestApplied(client)
    for (const [at, sql] of known.entries()) {
      if (at + 1 <= applied) continue
      await client.query(sql)
      await client.query('INSERT INTO schema_migrations (number) VALUES ($1)', [at + 1])
    }
  })
}

async function newestApplied(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ newest: number }>(
    'SELECT coalesce(max(number), 0) AS newest FROM schema_migrations',
  )
  return rows[0]?.newest ?? 0
}
