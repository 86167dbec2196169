import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '@pergola/test-servers'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { packPlugin } from '../../packages/cli/src/plugin/pack.ts'
import { assemble } from '../../packages/server/src/assembly/assemble.ts'
import { loadConfig } from '../../packages/server/src/config/config.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { sealingKey } from '../../packages/server/src/config/sealing-keys.ts'
import { seedAdministrator } from './seed-administrator.ts'

const token = 'pgs_from-files-from-files-from-files-files'
const folder = mkdtempSync(join(tmpdir(), 'pergola-from-files-'))
const directory = join(folder, 'packages')

/** A plugin with a route that returns its settings. */
const source = `
import { definePlugin, defineSettings, route, secret, t, withDefault } from '@pergola/plugin-sdk'
const Settings = defineSettings(
  t.Object({ greeting: withDefault(t.String(), 'hello'), limit: withDefault(t.Integer(), 7), token: t.Optional(secret()) }),
)
export default definePlugin({
  name: 'greeter',
  api: 'greeter.example.com/v1',
  settings: Settings,
  console: [route('GET /greeting', {}, ({ settings }) => settings(Settings))],
})
`

beforeAll(async () => {
  mkdirSync(join(folder, 'src'))
  mkdirSync(directory)
  const manifest = { name: 'greeter', version: '1.0.0', license: 'MIT', type: 'module' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'src/plugin.ts'), source)
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  await packPlugin({ folder, out: directory, conditions: ['@pergola/source'] })
})
afterAll(() => rmSync(folder, { recursive: true }))

async function startReplica(url: string, { key, log }: { readonly key: string; readonly log: string[] }) {
  const plugins = { directory, settings: { greeter: { greeting: 'from the configuration', token: 'sealed' } } }
  const server = await assemble({
    config: loadConfig({
      file: { name: 'test.yaml', text: JSON.stringify({ plugins }) },
      env: {
        PERGOLA_DATABASE_URL: url,
        PERGOLA_SERVER_PORT: '0',
        PERGOLA_SERVER_STOP_DELAY: '0',
        PERGOLA_SERVER_DRAIN_TIMEOUT: '0',
      },
    }),
    keys: [sealingKey(key)],
    log: createLog({ level: 'info', pretty: false, write: (text) => log.push(text) }),
  })
  return {
    send: async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: response.status, body: await response.json() }
    },
    [Symbol.asyncDispose]: async () => void (await server.close()),
  }
}

test('two replicas that start together install a package once, and settings reach the plugin on both without a restart', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await seedAdministrator(database.url, token)
  const log: string[] = []
  const key = randomBytes(32).toString('base64')
  await using started = new AsyncDisposableStack()
  const replicas = await Promise.all([1, 2].map(() => startReplica(database.url, { key, log })))
  for (const replica of replicas) started.use(replica)
  const [first] = replicas
  const lines = log.map((line) => JSON.parse(line) as { readonly level: number; readonly msg: string })
  expect(lines.filter(({ msg }) => msg === 'a plugin was installed from its file')).toHaveLength(1)
  expect(lines.filter(({ level }) => level > 30)).toEqual([])

  const greeting = '/apis/console.api.greeter.example.com/v1/greeting'
  const become = async (settings: object) => {
    const look = async () => {
      for (const { send } of replicas) expect(await send('GET', greeting)).toEqual({ status: 200, body: settings })
    }
    await vi.waitFor(look, { timeout: 60_000, interval: 50 })
  }
  const configured = { greeting: 'from the configuration', limit: 7, token: 'sealed' }
  await become(configured)
  const names = (plural: string) => `/api/v1alpha1/${plural}/greeter-settings`
  expect((await first?.send('PUT', names('configmaps'), { data: { limit: 8 } }))?.status).toBe(200)
  await become({ greeting: 'hello', limit: 8, token: 'sealed' })
  expect((await first?.send('PUT', names('secrets'), { data: { token: 'another' } }))?.status).toBe(200)
  await become({ greeting: 'hello', limit: 8, token: 'another' })
  expect(log.filter((line) => line.includes('"a plugin is started"'))).toHaveLength(2)
})
