import { join } from 'node:path'
import type { Dialect } from './dialect.ts'
import { countPackages, folderOf, installProject, type Project } from './install.ts'
import { loadPersons } from './load.ts'
import { run } from './process.ts'
import { startSystem, type Product, type ServerOptions } from './system.ts'

const next = ['node_modules/next/dist/bin/next']
const project: Project = {
  name: 'payload',
  version: '3.90.2',
  build: () => [{ command: [process.execPath, ...next, 'build'], env: { NEXT_TELEMETRY_DISABLED: '1' } }],
}
const token = 'key-of-the-benchmark-0123456789'

const dialect: Dialect = {
  authorization: `users API-Key ${token}`,
  collection: '/api/persons',
  pathOf: (at) => `/api/persons/${at}?depth=0`,
  pageOf: (city, withTotal) =>
    `where%5Bcity%5D%5Bequals%5D=${city}&sort=-age&limit=20&page=1&depth=0${withTotal ? '' : '&pagination=false'}`,
  created: 201,
  bodyOf: (person) => person,
  change: { method: 'PATCH', contentType: 'application/json', bodyOf: (fields) => fields },
  fieldsOf: (answered) => answered as object,
}

export const payload: Product = {
  name: `Payload ${project.version}`,
  install: () => installProject(project),
  prepare: async ({ databaseUrl }) => {
    const cwd = folderOf(project)
    const env = { DATABASE_URL: databaseUrl, BENCH_TOKEN: token, NEXT_TELEMETRY_DISABLED: '1' }
    await run([process.execPath, join(cwd, 'seed.js')], { cwd, env, seconds: 300 })
    const options = (port: number) => ['-H', '127.0.0.1', '-p', String(port), '--keepAliveTimeout', '60000']
    const server: ServerOptions = {
      command: (port) => [process.execPath, ...next, 'start', ...options(port)],
      cwd,
      env: () => ({ ...env, NODE_ENV: 'production' }),
    }
    return {
      name: payload.name,
      dialect,
      packages: countPackages(cwd),
      load: loadPersons(databaseUrl),
      start: () => startSystem(dialect, server),
    }
  },
}
