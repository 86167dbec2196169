import { expect, test } from 'vitest'
import { packedProject } from './packed-source.ts'
import { engines, startHost } from './plugin-host.ts'

test.each(engines)('the packed workflow example installs its declared objects and works, on %s', async (engine) => {
  await using host = await startHost(engine)
  const { admin: token } = host
  const { status } = await host.install(await packedProject('examples/workflow'))
  expect(status).toBe(201)
  await host.phaseIs('purchasing', { phase: 'Started' })
  const budget = await host.send('GET /apis/purchasing.example.com/v1alpha1/budgets/petty-cash', { token })
  expect(budget.body['spec']).toEqual({ code: 'CASH-2030', approver: 'cashier', limit: 50_000 })
  const role = await host.send('GET /api/v1alpha1/roles/purchasing-audit', { token })
  expect(role.body['rules']).toMatchObject([{ verbs: ['get', 'list'] }])
  const cash = { title: 'Stamps', budget: 'petty-cash', items: [{ what: 'stamp', count: 10, price: 85 }] }
  const own = '/apis/uc.api.purchasing.example.com/v1alpha1/purchases'
  const ann = await host.user('ann')
  const body = { metadata: { name: 'stamps' }, spec: cash }
  expect((await host.send(`POST ${own}`, { token: ann, body })).status).toBe(201)
  const stateOf = async () => (await host.send(`GET ${own}/stamps`, { token: ann })).body['status']
  await expect.poll(stateOf).toMatchObject({ state: 'waiting', total: 850 })
})
