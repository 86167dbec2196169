import { createDatabase, startPostgres } from '@pergola/test-servers'
import { Pool } from 'pg'
import { startPergola, type PergolaProcess } from '../../tests/end-to-end/pergola-process.ts'
import { seedAdministrator } from '../../tests/end-to-end/seed-administrator.ts'
import { cities, group, modelOf, personOf } from '../http/people.ts'
import { head, post, register, token, withBody } from '../http/requests.ts'
import { openStoredModel, type OpenModel } from '../http/stored-model.ts'

const plural = 'people'
const path = `/apis/${group}/v1/${plural}`

export interface People extends AsyncDisposable {
  /** CPU of the database. */
  readonly url: string
  /** Arguments for hosts on this database. */
  readonly env: Readonly<Record<string, string>>
  readonly model: OpenModel
  /** Warm caches from storing them. */
  readonly host: PergolaProcess
}

/** A durable PostgreSQL with people, stored by a host. */
export async function startPeople(objects: number): Promise<People> {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres('18', { durable: true }))
  const database = stack.use(await createDatabase(server.url))
  await seedAdministrator(database.url, token)
  const env = { PERGOLA_DATABASE_URL: database.url }
  const host = stack.use(startPergola({ env }))
  const hostUrl = await host.url()
  await register(hostUrl, modelOf(plural, 'Person'))
  for (let from = 0; from < objects; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => post(hostUrl, path, personOf(from + at))))
  }
  const pool = new Pool({ connectionString: database.url, max: 1 })
  stack.defer(() => pool.end())
  await pool.query('VACUUM ANALYZE')
  const model = await openStoredModel(pool, plural)
  return { url: database.url, env, model, host, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

export interface Operation {
  readonly name: string
  readonly status: number
  readonly request: (at: number) => Buffer
}

/** The same work as the pgbench scripts, over HTTP. */
export function operationsOn(objects: number): readonly Operation[] {
  let made = objects
  const existing = (at: number) => (at * 7919) % objects
  const filter = (at: number) => `city-${(at * 31) % cities}`
  return [
    { name: 'get', status: 200, request: (at) => head('GET', `${path}/p-${existing(at)}`) },
    {
      name: 'list 20, filter, sort',
      status: 200,
      request: (at) => head('GET', `${path}?size=20&sort=spec.age,desc&fieldSelector=spec.city=${filter(at)}`),
    },
    { name: 'create', status: 201, request: () => withBody('POST', path, personOf(made++)) },
    {
      name: 'update',
      status: 200,
      request: (at) => withBody('PUT', `${path}/p-${existing(at)}`, personOf(existing(at), {}, made++)),
    },
  ]
}
