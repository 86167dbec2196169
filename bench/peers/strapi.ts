import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Dialect } from './dialect.ts'
import { countPackages, folderOf, installProject, type Project } from './install.ts'
import { loadPersons } from './load.ts'
import { expectOk, startSystem, startUntil, type Product, type ServerOptions } from './system.ts'

const project: Project = { name: 'strapi', version: '5.54.0' }
const documentOf = (at: number) => `doc${String(at).padStart(21, '0')}`

export const strapi: Product = {
  name: `Strapi ${project.version}`,
  install: () => installProject(project),
  prepare: async ({ databaseUrl }) => {
    const cwd = folderOf(project)
    mkdirSync(join(cwd, 'public/uploads'), { recursive: true })
    const program = [process.execPath, join(cwd, 'node_modules/@strapi/strapi/bin/strapi.js'), 'start']
    const server: ServerOptions = {
      command: () => program,
      cwd,
      env: (port) => ({
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        NODE_ENV: 'production',
        STRAPI_TELEMETRY_DISABLED: 'true',
      }),
    }
    const first = await startUntil(server, (url) => expectOk(`${url}/_health`))
    await using started = first.process
    const [, token] = /access key (\S+)/.exec(started.output()) ?? []
    if (token === undefined) throw new Error(`Strapi printed no token:\n${started.output()}`)
    const dialect = dialectWith(token)
    const columns = {
      document_id: `'doc' || lpad(i::text, 21, '0')`,
      created_at: 'now()',
      updated_at: 'now()',
      published_at: 'now()',
    }
    return {
      name: strapi.name,
      dialect,
      packages: countPackages(cwd),
      load: loadPersons(databaseUrl, columns),
      start: () => startSystem(dialect, server),
    }
  },
}

function dialectWith(token: string): Dialect {
  const page = 'sort=age:desc&pagination%5Bpage%5D=1&pagination%5BpageSize%5D=20'
  return {
    authorization: `Bearer ${token}`,
    collection: '/api/persons',
    pathOf: (at) => `/api/persons/${documentOf(at)}`,
    pageOf: (city, withTotal) =>
      `filters%5Bcity%5D%5B%24eq%5D=${city}&${page}${withTotal ? '' : '&pagination%5BwithCount%5D=false'}`,
    created: 201,
    bodyOf: (person) => ({ data: person }),
    change: { method: 'PUT', contentType: 'application/json', bodyOf: (fields) => ({ data: fields }) },
    fieldsOf: (answered) => (answered as { data: object }).data,
  }
}
