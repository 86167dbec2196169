import { Client } from 'pg'
import { expect, test } from 'vitest'
import { startHost } from './plugin-host.ts'
import { pluginPackage } from './plugin-package.ts'

const rollback = 'POST /apis/console.api.platform.run/v1alpha1/plugins/todo/rollback'

test('the database keeps the packages of the active and the previous version only, also after a failed upgrade', async () => {
  await using host = await startHost('PostgreSQL 18')
  const client = new Client(host.databaseUrl)
  await client.connect()
  const stored = async () => (await client.query('SELECT DISTINCT digest FROM plugin_packages')).rowCount
  try {
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) {
      await host.install(pluginPackage({ version }))
      await expect.poll(async () => (await read(host)).version).toBe(version)
      await host.phaseIs('todo', { phase: 'Started' })
    }
    expect(await stored()).toBe(2)
    expect((await host.send(rollback, { token: host.admin })).status).toBe(200)
    await expect.poll(async () => (await read(host)).version).toBe('1.1.0')
    expect(await stored()).toBe(2)
    await host.install(pluginPackage({ version: '1.3.0', answer: 'process.exit(3)' }))
    await expect.poll(async () => (await read(host)).upgrade).toMatchObject({ phase: 'Failed', to: '1.3.0' })
    expect(await stored()).toBe(2)
  } finally {
    await client.end()
  }
})

interface Read {
  readonly version?: unknown
  readonly upgrade?: unknown
}

/** The active version of the plugin, and its last upgrade. */
async function read(host: Awaited<ReturnType<typeof startHost>>): Promise<Read> {
  const { body } = await host.send('GET /apis/plugin.platform.run/v1alpha1/plugins/todo', { token: host.admin })
  const { spec, status }: { readonly spec?: Read; readonly status?: Read } = body
  return { version: spec?.version, upgrade: status?.upgrade }
}
