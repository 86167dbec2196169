import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, freePort } from '@pergola/test-servers'
import { expect, inject, test } from 'vitest'
import { startPergola } from './pergola-process.ts'

const password = 'correct horse battery'

interface Replica {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly feedLagMs: number
  readonly leases: readonly string[]
  readonly plugins: Readonly<Record<string, number>>
  readonly isThis?: boolean
}

test('replicas have names in log, audit, metrics, checks and responses; each lists all, until one is killed', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const port = await freePort()
  const env = (name: string) => ({
    PERGOLA_REPLICA_NAME: name,
    PERGOLA_DATABASE_URL: database.url,
    PERGOLA_ADMIN_USERNAME: 'ann',
    PERGOLA_ADMIN_PASSWORD_FILE: 'password',
    PERGOLA_AUDIT_FILE: 'audit.log',
  })
  await using first = startPergola({
    env: { ...env('east'), PERGOLA_METRICS_PORT: String(port) },
    files: { password },
  })
  const url = await first.url()
  await using second = startPergola({ env: env('west'), files: { password } })
  const other = await second.url()

  const body = JSON.stringify({ username: 'ann', password, transport: 'token' })
  const login = await fetch(`${url}/auth/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body,
  })
  const { token } = (await login.json()) as { readonly token: string }
  const headers = { authorization: `Bearer ${token}` }
  const read = async (at: string) => {
    const response = await fetch(`${at}/apis/console.api.platform.run/v1alpha1/replicas`, { headers })
    const { items } = (await response.json()) as { readonly items: readonly Replica[] }
    return { items, shown: response.headers.get('pergola-replica') }
  }

  const [here, there] = [await read(url), await read(other)]
  expect(here.items.map(({ name, isThis }) => [name, isThis ?? false])).toEqual([
    ['east', true],
    ['west', false],
  ])
  expect(here.items.map(({ id }) => id.slice(0, 8))).toEqual([here.shown, there.shown])
  expect(here.items[0]).toMatchObject({ version: '0.9.0', leases: [], plugins: {} })
  expect(here.items[0]?.feedLagMs).toBeLessThan(60_000)
  expect(await (await fetch(`${other}/readyz?verbose`, { headers })).text()).toContain(', replica west')
  expect(
    first
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).replica),
  ).toContain('east')
  expect(readFileSync(join(first.directory, 'audit.log'), 'utf8')).toContain('"replica":"east"')
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(metrics).toContain('pergola_replica_info{replica="east",version="0.9.0"')
  expect((await fetch(`${url}/nowhere`)).headers.get('pergola-replica')).toBe(here.shown)
  expect((await fetch(`${url}/api/v1alpha1/replicas`)).status).toBe(401)

  second.signal('SIGKILL')
  await second.exited
  // Two missed heartbeats.
  const until = performance.now() + 40_000
  while ((await read(url)).items.length > 1 && performance.now() < until) await sleep(500)
  expect((await read(url)).items.map(({ name }) => name)).toEqual(['east'])
})
