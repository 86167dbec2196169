import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { packPlugin } from '../../packages/cli/src/plugin/pack.ts'
import { sealingKey } from '../../packages/server/src/config/sealing-keys.ts'
import { engines, startHost, type PluginHost } from './plugin-host.ts'

const repository = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'pergola-settings-'))
let archive: Buffer
beforeAll(async () => {
  for (const name of ['src', 'package.json']) {
    cpSync(join(repository, 'examples/todo', name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  await packPlugin({ folder, out: folder, conditions: ['@pergola/source'] })
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  archive = readFileSync(join(folder, file))
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Reminder {
  readonly at: string | undefined
  readonly authorization: string | undefined
  readonly title: string
}

/** Records reminders of the plugin, at any path. */
async function listenForReminders(reminders: Reminder[]): Promise<Server> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { title } = JSON.parse(body) as { readonly title: string }
      reminders.push({ at: request.url, authorization: request.headers.authorization, title })
      return response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

describe.each(engines)('%s: settings of a running plugin', (engine) => {
  const reminders: Reminder[] = []
  let hooks: Server
  let host: PluginHost
  beforeAll(async () => {
    hooks = await listenForReminders(reminders)
    host = await startHost(engine, undefined, { keys: [sealingKey(randomBytes(32).toString('base64'))] })
    await host.install(archive)
    await host.phaseIs('todo', { phase: 'Started' })
  })
  afterAll(async () => {
    await host[Symbol.asyncDispose]()
    hooks.close()
  })

  const core = '/api/v1alpha1'
  const metadata = { name: 'todo-settings' }
  const hook = (path: string) => `http://127.0.0.1:${(hooks.address() as AddressInfo).port}${path}`
  /** The plugin's log without retries of its controllers; a restart would add lines. */
  const written = async () => {
    const path = '/apis/console.api.platform.run/v1alpha1/plugins/todo/logs'
    const { items } = (await host.send(`GET ${path}`, { token: host.admin })).body as {
      readonly items: readonly string[]
    }
    return items.filter((line) => !line.startsWith('controller '))
  }
  /** Creates an overdue todo, so that the plugin sends a reminder at once if a webhook is set. */
  const due = async (name: string) => {
    const spec = { title: name, owner: 'ann', due: '2020-01-01T00:00:00Z' }
    const path = '/apis/todo.example.com/v1alpha1/todos'
    expect((await host.send(`POST ${path}`, { token: host.admin, body: { metadata: { name }, spec } })).status).toBe(
      201,
    )
  }
  let count = 0
  /** Creates todos until one is reminded of like this: a change of settings takes a moment to arrive. */
  const remindedOf = async (expected: object) => {
    const look = async () => {
      const title = `todo-${++count}`
      await due(title)
      const found = () => reminders.find((one) => one.title === title)
      await vi.waitFor(() => expect(found()).toBeDefined(), { timeout: 60_000, interval: 20 })
      expect(found()).toMatchObject(expected)
    }
    await vi.waitFor(look, { timeout: 100_000, interval: 100 })
  }

  test('take effect without a restart', async () => {
    const before = await written()
    const put = (plural: string, data: object) =>
      host.send(`PUT ${core}/${plural}/todo-settings`, { token: host.admin, body: { data } })
    const post = (plural: string, data: object) =>
      host.send(`POST ${core}/${plural}`, { token: host.admin, body: { metadata, data } })

    expect((await post('configmaps', { webhook: hook('/first') })).status).toBe(201)
    await remindedOf({ at: '/first', authorization: undefined })

    expect((await post('secrets', { token: 'sealed-one' })).status).toBe(201)
    expect((await put('configmaps', { webhook: hook('/second') })).status).toBe(200)
    await remindedOf({ at: '/second', authorization: 'Bearer sealed-one' })

    expect((await put('secrets', { token: 'sealed-two' })).status).toBe(200)
    await remindedOf({ authorization: 'Bearer sealed-two' })

    expect((await host.send(`DELETE ${core}/secrets/todo-settings`, { token: host.admin })).status).toBe(200)
    await remindedOf({ at: '/second', authorization: undefined })
    expect(await written()).toEqual(before)
  })
})
