import { freePort } from '@pergola/test-servers'
import { expect, test } from 'vitest'
import { shownMetrics } from '../../packages/server/src/base/metrics.ts'
import { startPergola } from './pergola-process.ts'

test('metrics count requests, logins, watches and plugins; every name is in the catalogue', async () => {
  const port = await freePort()
  const administrator = { PERGOLA_ADMIN_USERNAME: 'ann', PERGOLA_ADMIN_PASSWORD_FILE: 'password' }
  await using server = startPergola({
    env: { PERGOLA_METRICS_PORT: String(port), ...administrator },
    files: { password: 'correct horse battery' },
  })
  const url = await server.url()
  const login = (password: string) =>
    fetch(`${url}/auth/sessions`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ann', password, transport: 'token' }),
    })
  expect((await login('wrong')).status).toBe(401)
  const { token } = (await (await login('correct horse battery')).json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${url}/api/v1alpha1/roles`, { headers })).status).toBe(200)
  expect((await fetch(`${url}/api/v1alpha1/made-up-${Date.now()}`, { headers })).status).toBe(404)
  const stop = new AbortController()
  const accept = 'text/event-stream'
  const watch = await fetch(`${url}/api/v1alpha1/roles`, { headers: { ...headers, accept }, signal: stop.signal })
  expect(watch.status).toBe(200)

  const shown = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  stop.abort()
  const value = (name: string, labels = '') =>
    Number(
      shown
        .split('\n')
        .find((line) => line.startsWith(`${name}${labels}`))
        ?.split(' ')
        .at(-1),
    )
  expect(value('pergola_request_seconds_count', '{verb="list",resource="/roles",status="200"')).toBe(1)
  expect(value('pergola_request_seconds_count', '{verb="list",resource="other",status="404"')).toBe(1)
  expect(value('pergola_request_seconds_count', '{verb="watch",resource="/roles",status="200"')).toBe(1)
  expect(value('pergola_login_failures_total', '{reason="wrong"')).toBe(1)
  expect(value('pergola_store_seconds_count', '{operation="list"')).toBeGreaterThan(0)
  expect(value('pergola_watches')).toBe(1)
  expect(value('pergola_login_failures_total', '{reason="limited"')).toBe(0)
  expect(value('pergola_store_failures_total', '{operation="list"')).toBe(0)
  expect(value('pergola_cpu_seconds_total')).toBeGreaterThan(0)
  expect(value('pergola_memory_bytes')).toBeGreaterThan(2 ** 20)
  expect(value('pergola_event_loop_delay_seconds')).toBeGreaterThan(0)
  expect(value('pergola_feed_lag_seconds')).toBeGreaterThanOrEqual(0)
  expect(value('pergola_plugins', '{phase="Disabled"')).toBe(1)

  const known = new Set(shownMetrics())
  const names = [...shown.matchAll(/^(pergola_\w+)/gm)].map(([, name = '']) => name)
  expect([...new Set(names)].filter((name) => !known.has(name))).toEqual([])
})
