import { createHash } from 'node:crypto'
import { createDatabase, databaseUrl, withClient, withPool, type TestDatabase } from '@pergola/test-servers'
import { migrate, migrations } from '../postgres/migrate.ts'

/** Changes with the migrations, for a server that outlives the run. */
const template = `pergola_${createHash('sha256')
  .update(migrations.map(({ sql }) => sql).join(''))
  .digest('hex')
  .slice(0, 16)}`
const made = new Map<string, Promise<void>>()

/** A database with the current schema, copied from a template: much cheaper than running the migrations each time. */
export async function createMigratedDatabase(serverUrl: string): Promise<TestDatabase> {
  if (!made.has(serverUrl)) made.set(serverUrl, makeTemplate(serverUrl))
  await made.get(serverUrl)
  const database = await createDatabase(serverUrl, { template })
  // Tells the revisions of one database from those of another.
  await withClient(database.url, (client) =>
    client.query(`
      WITH made AS (UPDATE log_origin SET tag = (random() * 9007199254740991)::bigint RETURNING tag)
      UPDATE sequencer SET tag = made.tag FROM made`),
  )
  return database
}

/** Test files run in several processes: one of them makes it, the others wait. */
async function makeTemplate(serverUrl: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    await client.query(`SELECT pg_advisory_lock(hashtextextended('${template}', 0))`)
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [template])
    if (rowCount !== 0) return
    const unfinished = `${template}_unfinished`
    await client.query(`DROP DATABASE IF EXISTS ${unfinished}`)
    await client.query(`CREATE DATABASE ${unfinished}`)
    await withPool(databaseUrl(serverUrl, unfinished), (pool) => migrate(pool))
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`)
  })
}
