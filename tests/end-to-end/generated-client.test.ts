import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHost, type PluginHost } from './plugin-host.ts'
import { pluginPackage } from './plugin-package.ts'
import { runGeneratedClient } from './run-generated-client.ts'

/** OpenAPI documents by the module name that the scenario imports. */
const documents = {
  administration: '/openapi/v3/apis/console.api.platform.run/v1alpha1',
  auth: '/openapi/v3/auth',
  core: '/openapi/v3/api/v1alpha1',
  host: '/openapi/v3/host',
  own: '/openapi/v3/apis/uc.api.platform.run/v1alpha1',
  plugins: '/openapi/v3/apis/plugin.platform.run/v1alpha1',
  public: '/openapi/v3/apis/api.platform.run/v1alpha1',
}

let host: PluginHost
let folder: string

beforeAll(async () => {
  host = await startHost('SQLite')
  folder = mkdtempSync(join(tmpdir(), 'pergola-client-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await host[Symbol.asyncDispose]()
})

test('a client generated from the documents signs in, adds a user, grants a role, creates a token, reviews access and installs a plugin', async () => {
  const read = async (path: string) => JSON.stringify((await host.send(`GET ${path}`, { token: host.admin })).body)
  const entries = Object.entries(documents).map(async ([name, path]) => [name, await read(path)] as const)
  const packageFile = join(folder, 'todo.tgz')
  writeFileSync(packageFile, pluginPackage())
  const failure = await runGeneratedClient({
    documents: Object.fromEntries(await Promise.all(entries)),
    scenario: join(import.meta.dirname, 'client-scenario.txt'),
    args: [host.url, 'admin', host.password, packageFile],
  })
  expect(failure).toBeUndefined()
})
