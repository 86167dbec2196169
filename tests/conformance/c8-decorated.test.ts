import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packedSource } from '../end-to-end/packed-source.ts'
import { bind, expectSoon, person } from './people.ts'
import { installPackage, phaseIs } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

const base = '/apis/console.api.reports.example.com/v1alpha1'
const packed = once(() =>
  packedSource(join(import.meta.dirname, 'plugins/reports.ts'), { experimentalDecorators: true }),
)

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await installPackage(api, await packed()), 201)
    await phaseIs(api, { phase: 'Started' }, 'reports')
  })

  test('S4.2-3 a decorated class is served under its API version and path, to the callers that its routes allow', async () => {
    await installed()
    const ann = await person(api)
    const filing = { body: { title: 'Sales' } }
    expectStatus(await ann.request('GET', `${base}/reports`), 403)
    await bind(api, 'reports-read', [ann.name])
    await expectSoon(async () => expectStatus(await ann.request('GET', `${base}/reports`), 200))
    expect((await ann.request('GET', `${base}/reports/may/pages/7`)).body).toEqual({ name: 'may', page: '7' })
    expectStatus(await ann.request('POST', `${base}/reports/may/filings`, filing), 403)
    const filed = await api.request('POST', `${base}/reports/may/filings`, filing)
    expect(filed.body).toEqual({ name: 'may', title: 'Sales', by: 'admin' })
    expectProblem(await api.request('POST', `${base}/reports/may/filings`, { body: { title: '' } }), 422, 'Invalid')
    expect((await ann.request('GET', `${base}/reports`)).body).toEqual({ names: ['may'] })
    expectStatus(await ann.request('DELETE', `${base}/reports/may`), 204)
    expect((await ann.request('GET', `${base}/reports`)).body).toEqual({ names: [] })
    const { body } = await api.request('GET', `/openapi/v3${base}`)
    expect(Object.keys((body as { readonly paths: object }).paths)).toContain(`${base}/reports/{name}/pages/{page}`)
  })

  test("S4.2-4 a decorated class without an API version is ignored, with a warning in the plugin's log", async () => {
    await installed()
    const words = 'the controller class Drafts has no API version and is ignored'
    const logs = await api.request('GET', '/apis/console.api.platform.run/v1alpha1/plugins/reports/logs')
    const { items } = logs.body as { readonly items: readonly string[] }
    expect(items.filter((line) => line.includes(words))).toHaveLength(1)
    expect(items.filter((line) => line.includes('controller class'))).toHaveLength(1)
    for (const path of [`${base}/drafts`, `${base}/list`, '/apis/api.reports.example.com/v1alpha1/drafts']) {
      expectProblem(await api.request('GET', path), 404, 'NotFound')
    }
  })
})
