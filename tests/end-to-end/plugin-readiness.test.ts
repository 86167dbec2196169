import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startPergola } from './pergola-process.ts'
import { startHost, type PluginHost } from './plugin-host.ts'
import { pluginPackage } from './plugin-package.ts'

/** Listens after 1.5 s; exits on any request. */
const slow = `(await new Promise((done) => setTimeout(done, 1_500)), () => process.exit(3))`
const directory = mkdtempSync(join(tmpdir(), 'pergola-ready-'))
const start = (env = {}) => startHost('SQLite', `sqlite:${join(directory, 'data.db')}`, { env })

const readiness = async ({ url }: PluginHost) => {
  const response = await fetch(`${url}/readyz?verbose`)
  return { status: response.status, text: await response.text() }
}

describe('a host with a plugin that starts slowly', () => {
  beforeAll(async () => {
    await using host = await start()
    await host.install(pluginPackage({ answer: slow }))
    await host.phaseIs('todo', { phase: 'Started' })
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  test('becomes ready when the plugin has started, and stays ready when it exits', async () => {
    await using host = await start()
    const first = await readiness(host)
    expect(first.status).toBe(503)
    expect(first.text).toContain('not ready: plugins')
    await vi.waitFor(async () => expect(await readiness(host)).toMatchObject({ status: 200 }), { timeout: 60_000 })
    await host.phaseIs('todo', { phase: 'Started' })
    await host.send('GET /apis/api.todo.example.com/v1alpha1/echo', { token: host.admin })
    await host.phaseIs('todo', { phase: 'NotStarted' })
    expect(await readiness(host)).toMatchObject({ status: 200 })
  })

  test('prints its address when it is ready', async () => {
    await using pergola = startPergola({ env: { PERGOLA_DATABASE_URL: `sqlite:${join(directory, 'data.db')}` } })
    expect((await fetch(`${await pergola.url()}/readyz`)).status).toBe(200)
  })

  test('waits no longer than plugins.startGrace', async () => {
    await using host = await start({ PERGOLA_PLUGINS_START_GRACE: '0' })
    await vi.waitFor(async () => expect(await readiness(host)).toMatchObject({ status: 200 }), { timeout: 60_000 })
    await host.phaseIs('todo', { phase: 'Started' })
  })
})
