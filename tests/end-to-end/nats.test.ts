import { createDatabase, freePort, startNats } from '@pergola/test-servers'
import { expect, inject, test } from 'vitest'
import { startPergola } from './pergola-process.ts'
import { seedAdministrator } from './seed-administrator.ts'

const token = 'pgs_nats-nats-nats-nats-nats-nats-nats'

test('readyz and metrics show that changes arrive by NATS, and the server keeps working without NATS', async () => {
  await using nats = await startNats()
  await using database = await createDatabase(inject('postgres')['18'])
  await seedAdministrator(database.url, token)
  const metricsPort = await freePort()
  await using server = startPergola({
    env: {
      PERGOLA_DATABASE_URL: database.url,
      PERGOLA_FEED_TRANSPORT: 'nats',
      PERGOLA_FEED_NATS_URL: nats.url,
      PERGOLA_METRICS_PORT: String(metricsPort),
      PERGOLA_LOG_LEVEL: 'warn',
    },
  })
  const url = await server.url()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const feed = async () => {
    const answer = await fetch(`${url}/readyz?verbose`, { headers })
    return `${answer.status} ${/feed.*/.exec(await answer.text())?.[0]}`
  }
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    return Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)`, 'm').exec(text)?.[1])
  }
  await expect.poll(feed).toMatch(/^200 feed +by NATS, and this replica carries the log there$/)
  expect(await metric('pergola_feed_lag_seconds')).toBeGreaterThanOrEqual(0)
  await expect.poll(() => metric('pergola_feed_reads_log')).toBe(0)
  expect(await metric('pergola_feed_relay_lag')).toBeGreaterThanOrEqual(0)
  const body = JSON.stringify({ metadata: { name: 'somebody' } })
  const users = `${url}/api/v1alpha1/users`
  expect((await fetch(users, { method: 'POST', headers, body })).status).toBe(201)
  await expect.poll(() => metric('pergola_feed_relayed_total')).toBeGreaterThan(0)
  await nats.kill()
  await expect.poll(feed).toMatch(/^200 feed +NATS does not deliver every change; changes are read from the database/)
  await expect.poll(() => metric('pergola_feed_reads_log')).toBe(1)
  expect(await metric('pergola_feed_fallbacks_total')).toBeGreaterThan(0)
  expect((await fetch(`${users}/somebody`, { headers })).status).toBe(200)
})
