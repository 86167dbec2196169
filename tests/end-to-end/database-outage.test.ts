import { createDatabase, startPostgres } from '@pergola/test-servers'
import { expect, test } from 'vitest'
import { startPergola } from './pergola-process.ts'
import { seedAdministrator } from './seed-administrator.ts'

const token = 'pgs_outage-outage-outage-outage-outage'
const begins = 'the database does not answer; requests get 503 until it does'
const ends = 'the database answers again'

interface Outcome {
  readonly status: number
  readonly retryAfter: string | null
  readonly reason: string | undefined
}

test('while the database is stopped, frozen or slow, requests get 503; each outage logs two lines; no restart is needed', async () => {
  // Acknowledged commits must survive the kill.
  await using postgres = await startPostgres('18', { settings: ['synchronous_commit=on'] })
  const database = await createDatabase(postgres.url)
  await seedAdministrator(database.url, token)
  await using server = startPergola({
    env: { PERGOLA_DATABASE_URL: database.url, PERGOLA_DATABASE_TIMEOUT: '2', PERGOLA_LOG_FORMAT: 'json' },
  })
  const url = await server.url()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const health = async (path: string) => (await fetch(`${url}${path}`, { headers })).status
  await expect.poll(() => health('/readyz')).toBe(200)

  const outcomes: Outcome[] = []
  let isOver = false
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, { headers, ...init })
    const { reason } = (await answer.json()) as { reason?: string }
    outcomes.push({ status: answer.status, retryAfter: answer.headers.get('retry-after'), reason })
  }
  const role = (at: number) => JSON.stringify({ metadata: { name: `role-${at}` }, rules: [] })
  const asking = [0, 1, 2].map(async (worker) => {
    for (let at = worker; !isOver; at += 3) {
      await ask('/api/v1alpha1/roles', { method: 'POST', body: role(at) })
      await ask('/api/v1alpha1/roles?size=3')
      await ask('/api/v1alpha1/users/admin')
    }
  })
  const seen = async (status: (one: number) => boolean) => {
    const from = outcomes.length
    await expect.poll(() => outcomes.slice(from).some((one) => status(one.status)), { interval: 50 }).toBe(true)
  }
  const goesOn = async () => {
    await expect.poll(() => health('/readyz')).toBe(200)
    await seen((status) => status < 300)
  }
  const isAway = async () => {
    await seen((status) => status === 503)
    await expect.poll(() => health('/readyz')).toBe(503)
    expect(await health('/livez')).toBe(200)
    // The caller cannot be authenticated now, so the details are not shown.
    expect(await health('/readyz?verbose')).toBe(503)
  }

  await goesOn()
  await postgres.kill()
  await isAway()
  await postgres.restart()
  await goesOn()

  postgres.freeze()
  await isAway()
  postgres.thaw()
  await goesOn()

  // Slow: the database freezes, and continues before requests time out.
  const begun = outcomes.length
  postgres.freeze()
  await expect.poll(() => health('/livez')).toBe(200)
  postgres.thaw()
  await expect.poll(() => outcomes.length).toBeGreaterThan(begun + 10)
  isOver = true
  await Promise.all(asking)

  const wrong = outcomes.filter(({ status, retryAfter }) => status >= 300 && !(status === 503 && retryAfter !== null))
  expect(wrong).toEqual([])
  expect(new Set(outcomes.filter(({ status }) => status === 503).map(({ reason }) => reason))).toEqual(
    new Set(['Unavailable']),
  )

  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string; level: number })
    .filter(({ msg }) => msg !== 'request')
  const told = lines.map(({ msg }) => msg).slice(lines.findIndex(({ msg }) => msg === begins))
  expect(told.filter((msg) => msg !== begins && msg !== ends)).toEqual([])
  // The lines alternate: one when an outage begins, one when it ends.
  expect(told.every((msg, at) => msg === (at % 2 === 0 ? begins : ends))).toBe(true)
  expect(told.length).toBeGreaterThanOrEqual(4)
})
