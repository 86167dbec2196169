import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packedSource } from '../end-to-end/packed-source.ts'
import { installPackage, phaseIs, plugins } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

const packages = '/apis/console.api.platform.run/v1alpha1/plugins'
const lamps = '/apis/lamps.example.com/v1/lamps'
const inTime = { timeout: 60_000 }
const packed = once(() => packedSource(join(import.meta.dirname, 'plugins/background.ts')))

interface Schedule {
  readonly name: string
  readonly lastRun?: string
  readonly lastError?: string
  readonly nextRun?: string
  readonly requested?: string
}

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await installPackage(api, await packed()), 201)
    await phaseIs(api, { phase: 'Started' }, 'lamps')
  })
  const read = async (path: string) => (await api.request('GET', path)).body as Record<string, object | undefined>
  const schedules = async () => {
    const { schedules: told = [] } = ((await read(`${plugins}/lamps`))['status'] ?? {}) as {
      schedules?: readonly Schedule[]
    }
    return told
  }
  const scheduleOf = async (name: string) => (await schedules()).find((one) => one.name === name)

  test('S2.2-5 S6-1 S6-2 a controller is called for a created and an updated object and drives status towards spec', async () => {
    await installed()
    const statusOf = async () => (await read(`${lamps}/hall`))['status']
    expectStatus(
      await api.request('POST', lamps, { body: { metadata: { name: 'hall' }, spec: { color: 'red' } } }),
      201,
    )
    await expect.poll(statusOf, inTime).toEqual({ color: 'red' })
    const headers = { 'content-type': 'application/merge-patch+json' }
    await api.request('PATCH', `${lamps}/hall`, { headers, body: { spec: { color: 'blue' } } })
    await expect.poll(statusOf, inTime).toEqual({ color: 'blue' })
  })

  test('S6-3 a controller is called for a deleted object, with the object as it was last stored', async () => {
    await installed()
    const body = { metadata: { name: 'cellar' }, spec: { color: 'red' } }
    expectStatus(await api.request('POST', lamps, { body }), 201)
    await expect.poll(async () => (await read(`${lamps}/cellar`))['status'], inTime).toEqual({ color: 'red' })
    const headers = { 'content-type': 'application/merge-patch+json' }
    await api.request('PATCH', `${lamps}/cellar`, { headers, body: { spec: { color: 'green' } } })
    expectStatus(await api.request('DELETE', `${lamps}/cellar`), 200)
    expectStatus(await api.request('GET', `${lamps}/cellar`), 404)
    await expect.poll(async () => (await read(`${lamps}/after-cellar`))['spec'], inTime).toEqual({ color: 'green' })
  })

  test('C8-309 a requested run happens before its time, and its end is in the status', async () => {
    await installed()
    await expect.poll(() => scheduleOf('yearly'), inTime).toHaveProperty('nextRun')
    const run = (name: string) => api.request('POST', `${packages}/lamps/run?schedule=${name}`)
    const asked = await run('yearly')
    expectStatus(asked, 202)
    const { requested } = asked.body as { readonly requested: string }
    await expect.poll(async () => (await scheduleOf('yearly'))?.requested, inTime).not.toBe(requested)
    const { lastRun = '', lastError } = (await scheduleOf('yearly')) ?? {}
    expect(Date.now() - Date.parse(lastRun)).toBeLessThan(inTime.timeout)
    expect(lastError).toBeUndefined()

    await expect.poll(schedules, inTime).toHaveLength(3)
    const unknown = await run('monthly')
    expectProblem(unknown, 400, 'BadRequest')
    expect(unknown.text).toContain('count, failing, yearly')
    expectProblem(await api.request('POST', `${packages}/nobody/run?schedule=x`), 404, 'NotFound')
  })

  test('C8-307 schedules run at intervals or by cron in UTC; the status contains failures', async () => {
    await installed()
    await expect
      .poll(() => scheduleOf('yearly'), inTime)
      .toMatchObject({
        name: 'yearly',
        nextRun: `${new Date().getUTCFullYear() + 1}-01-01T00:00:00.000Z`,
      })
    await expect.poll(async () => (await scheduleOf('failing'))?.lastError, inTime).toBe('Error: there is no current')
    const counted = async () => (await read(`${lamps}?fieldSelector=metadata.name^=counted-`))['total'] as unknown
    await expect.poll(counted, inTime).toBeGreaterThan(1)
    const { lastRun = '', nextRun = '' } = (await scheduleOf('count')) ?? {}
    expect(Date.parse(nextRun) - Date.parse(lastRun)).toBe(1_000)
  })
})
