import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Pool } from 'pg'
import { startPergola, type PergolaProcess } from '../../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../../tests/end-to-end/seed-administrator.ts'
import { modelOf, personOf, people, peoplePath } from './people.ts'
import { post, register, token } from './requests.ts'
import { openStoredModel, type OpenModel } from './stored-model.ts'

export interface People extends AsyncDisposable {
  /** CPU of the database. */
  readonly url: string
  /** Arguments for hosts on this database. */
  readonly env: Readonly<Record<string, string>>
  readonly model: OpenModel
  /** Warm caches from storing them. */
  readonly host: PergolaProcess
  /** As in a database that has run for a while. */
  vacuum(): Promise<void>
}

/** A durable PostgreSQL with people, stored by a host; with more settings of both. */
export async function startPeople(
  objects: number,
  settings: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<People> {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres('18', { durable: true, settings }))
  const database = stack.use(await createDatabase(server.url))
  await seedAdministrator(database.url, token)
  const env = { PERGOLA_DATABASE_URL: database.url, ...more }
  const host = stack.use(startPergola({ env }))
  const hostUrl = await host.url()
  await register(hostUrl, modelOf(people, 'Person'))
  for (let from = 0; from < objects; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => post(hostUrl, peoplePath, personOf(from + at))))
  }
  const pool = new Pool({ connectionString: database.url, max: 1 })
  stack.defer(() => pool.end())
  // Only the objects: a partition of the log that is analyzed while it is empty is planned as if it stayed so.
  const vacuum = async () => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE tablename ~ '^m_'`,
    )
    await pool.query(`VACUUM ANALYZE ${rows.map(({ name }) => name).join(', ')}`)
  }
  await vacuum()
  const model = await openStoredModel(pool, people)
  return { url: database.url, env, model, host, vacuum, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
