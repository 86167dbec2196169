import { Client } from 'pg'
import { expect, test } from 'vitest'
import { startHost } from './plugin-host.ts'
import { pluginPackage } from './plugin-package.ts'

const rollback = 'POST /apis/console.api.platform.run/v1alpha1/plugins/todo/rollback'

test('the database keeps the packages of the active and the previous version only', async () => {
  await using host = await startHost('PostgreSQL 18')
  const client = new Client(host.databaseUrl)
  await client.connect()
  const stored = async () => (await client.query('SELECT DISTINCT digest FROM plugin_packages')).rowCount
  try {
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) {
      await host.install(pluginPackage({ version }))
      await expect.poll(() => activeVersion(host)).toBe(version)
      await host.phaseIs('todo', { phase: 'Started' })
    }
    expect(await stored()).toBe(2)
    expect((await host.send(rollback, { token: host.admin })).status).toBe(200)
    await expect.poll(() => activeVersion(host)).toBe('1.1.0')
    expect(await stored()).toBe(2)
  } finally {
    await client.end()
  }
})

async function activeVersion(host: Awaited<ReturnType<typeof startHost>>): Promise<unknown> {
  const { body } = await host.send('GET /apis/plugin.platform.run/v1alpha1/plugins/todo', { token: host.admin })
  const spec: { readonly version?: unknown } | undefined = body['spec']
  return spec?.version
}
