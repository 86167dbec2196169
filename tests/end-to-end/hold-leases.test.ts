import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@pergola/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdLeases } from '../../packages/plugin-sdk/src/controllers/hold-leases.ts'
import type { Lead } from '../../packages/plugin-sdk/src/controllers/hold.ts'
import { createHostFetch } from '../../packages/plugin-sdk/src/run/host-fetch.ts'
import { startHost, type PluginHost } from './plugin-host.ts'
import { pluginPackage } from './plugin-package.ts'

/** Duration of a lease in these tests. */
const seconds = 2
/** Returns the plugin's token and host socket, so that the test can call the host as the plugin. */
const answer = '(request, response) => response.end(JSON.stringify({ token, host }))'

let host: PluginHost
let started: { readonly token: string; readonly host: string }
beforeAll(async () => {
  host = await startHost('SQLite')
  await host.install(pluginPackage({ answer }))
  await host.phaseIs('todo', { phase: 'Started' })
  const { body } = await host.send('GET /apis/console.api.todo.example.com/v1alpha1/todos/-/stats', {
    token: host.admin,
  })
  started = body as never
})
afterAll(() => host[Symbol.asyncDispose]())

function hold(name: string) {
  const client = createClient({ url: 'http://host', token: started.token, fetch: createHostFetch(started.host) })
  const stopping = new AbortController()
  const leads: Lead[] = []
  const log: string[] = []
  const holding = (async () => {
    for await (const lead of holdLeases({ client, seconds, log: (line) => log.push(line) })(name, stopping.signal)) {
      leads.push(lead)
      await new Promise((resolve) => lead.signal.addEventListener('abort', resolve))
    }
  })()
  const lease = (method: 'PUT' | 'DELETE') => {
    const body = method === 'PUT' ? { body: { seconds } } : {}
    return client.call({ method, path: `/pergola/leases/${name}`, ...body }) as Promise<{ readonly token: number }>
  }
  const stop = async () => {
    stopping.abort()
    await holding
  }
  return { leads, log, lease, stop, [Symbol.asyncDispose]: stop }
}

test('leadership lasts while its lease is renewed', async () => {
  await using held = hold('lasting')
  await expect.poll(() => held.leads.length).toBe(1)
  await sleep(seconds * 1_500)
  expect([held.leads.length, held.leads[0]?.signal.aborted, held.log]).toEqual([1, false, []])
  expect(await held.lease('PUT')).toMatchObject({ token: held.leads[0]?.term })
})

test('leadership ends when the lease has another token, and a new term begins', async () => {
  await using held = hold('lost')
  await expect.poll(() => held.leads.length).toBe(1)
  await held.lease('DELETE')
  await held.lease('PUT')
  await expect.poll(() => held.leads[0]?.signal.aborted).toBe(true)
  await expect.poll(() => held.leads.length).toBe(2)
  expect(held.leads[1]?.term).toBeGreaterThan(held.leads[0]?.term ?? Number.NaN)
  expect(held.leads[1]?.fence).toBe(`lost/${held.leads[1]?.term}`)
})

test('stopping releases the lease', async () => {
  const held = hold('given-back')
  await expect.poll(() => held.leads.length).toBe(1)
  await held.stop()
  expect((await held.lease('PUT')).token).toBeGreaterThan(held.leads[0]?.term ?? Number.NaN)
})
