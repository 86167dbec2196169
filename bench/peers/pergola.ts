import { mkdtempSync, rmSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withClient, withPool } from '@pergola/test-servers'
import { seedAdministrator } from '../../tests/end-to-end/seed-administrator.ts'
import { columnOf, tableOf, type ModelTable } from '../../packages/server/src/store/model-table.ts'
import { openStoredModel } from '../http/stored-model.ts'
import { numberKey } from '../store/people.ts'
import { call, token as adminToken } from '../watch/host.ts'
import { createUser } from '../watch/user.ts'
import type { Dialect } from './dialect.ts'
import { chunksOf } from './load.ts'
import { peopleSql, type Person } from './people.ts'
import { expectOk, startSystem, startUntil, type Product, type ServerOptions } from './system.ts'

const repository = join(import.meta.dirname, '../..')
const group = 'bench.example.com'
const collection = `/apis/${group}/v1/persons`

const text = { type: 'string', maxLength: 400 }
const model = {
  spec: {
    group,
    kind: 'Person',
    singular: 'person',
    plural: 'persons',
    specRequired: true,
    versions: [
      {
        name: 'v1',
        schema: {
          properties: {
            spec: {
              type: 'object',
              required: ['email'],
              properties: {
                name: text,
                email: { type: 'string', format: 'email' },
                age: { type: 'integer' },
                tags: { type: 'array', items: { type: 'string' } },
                city: text,
              },
            },
          },
        },
      },
    ],
    indexes: [{ name: 'spec.city' }, { name: 'spec.age' }, { name: 'spec.email', unique: true }],
    composites: [['spec.city', 'spec.age']],
  },
}

/** A host from this checkout. */
export const pergola: Product = {
  name: 'Pergola',
  install: async () => {},
  prepare: async ({ databaseUrl }) => {
    await seedAdministrator(databaseUrl, adminToken)
    const cwd = mkdtempSync(join(tmpdir(), 'pergola-peers-'))
    process.once('exit', () => rmSync(cwd, { recursive: true, force: true }))
    const program = [process.execPath, '--conditions=@pergola/source', join(repository, 'packages/cli/src/main.ts')]
    const server: ServerOptions = {
      command: () => [...program, 'serve'],
      cwd,
      env: (port) => ({
        PERGOLA_DATABASE_URL: databaseUrl,
        PERGOLA_SERVER_PORT: String(port),
        PERGOLA_LOG_LEVEL: 'warn',
      }),
    }
    const dialect = dialectWith(await declare(server))
    return {
      name: pergola.name,
      dialect,
      packages: countProductionPackages(),
      load: (from, to) => load(databaseUrl, from, to),
      start: () => startSystem(dialect, server),
    }
  },
}

/** Registers the model and returns the token of a user who may use it. */
async function declare(server: ServerOptions): Promise<string> {
  const started = await startUntil(server, (url) => expectOk(`${url}/readyz`))
  await using process = started.process
  process.assertRunning()
  await call(started.url, 'POST', '/apis/plugin.platform.run/v1alpha1/models', model)
  const verbs = ['get', 'list', 'create', 'update', 'patch']
  const { session } = await createUser(started.url, [{ apiGroups: [group], resources: ['persons'], verbs }])
  const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
  const { body } = await call(started.url, 'POST', tokens, {}, session)
  return String(body['token'])
}

function dialectWith(token: string): Dialect {
  return {
    authorization: `Bearer ${token}`,
    collection,
    pathOf: (at) => `${collection}/p-${at}`,
    // Every list has a total; by default one above 10,000 may be estimated.
    pageOf: (city, withTotal) =>
      `fieldSelector=spec.city=${city}&sort=spec.age,desc&size=20${withTotal ? '&exactTotal=true' : ''}`,
    created: 201,
    bodyOf: (person) => ({ metadata: { name: person.email.replace(/@.*/, '') }, spec: person }),
    change: { method: 'PATCH', contentType: 'application/merge-patch+json', bodyOf: (fields) => ({ spec: fields }) },
    fieldsOf: (answered) => (answered as { spec: Partial<Person> }).spec,
  }
}

/** Stores what the host would: data is the tail of the JSON, which begins with the end of its metadata. */
async function load(databaseUrl: string, from: number, to: number): Promise<void> {
  const ages = Array.from({ length: 100 }, (_, age) => numberKey(age))
  await withPool(databaseUrl, async (pool) => {
    const { table } = await openStoredModel(pool, 'persons')
    for (const [first, last] of chunksOf(from, to)) await pool.query(insertSql(table), [first, last, ages])
  })
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE tablename ~ '^m_'`,
    )
    await client.query(`VACUUM ANALYZE ${rows.map(({ name }) => name).join(', ')}`)
  })
}

function insertSql(table: ModelTable): string {
  const column = (name: string) => {
    const index = table.indexes.find((one) => one.name === name)
    if (!index) throw new Error(`there is no index ${name}`)
    return columnOf(index.slot)
  }
  return `
    INSERT INTO ${tableOf(table)} (id, name, uid, version, generation, index_generation, held, stored_as, labels, sets,
      ${column('spec.city')}, ${column('spec.age')}, ${column('spec.email')}, data)
    SELECT (1700000000000 + i) << 20, 'p-' || i, gen_random_uuid(), 0, 1, ${table.generation}, false, 'v1', '{}', '{}',
      city, ($3::text[])[age + 1], email, convert_to(format(
        '},"spec":{"name":%s,"email":%s,"age":%s,"tags":%s,"city":%s}}',
        to_json(name), to_json(email), age, tags, to_json(city)), 'UTF8')
    FROM (${peopleSql}) people`
}

/** Packages that an installation of the command has. */
function countProductionPackages(): number {
  const words = ['ls', '-w', 'packages/pergola', '--omit=dev', '--all', '--parseable', '--loglevel=error']
  const listed = execFileSync('npm', words, { cwd: repository, encoding: 'utf8' })
  return listed.split('\n').filter((line) => line.includes('node_modules')).length
}
