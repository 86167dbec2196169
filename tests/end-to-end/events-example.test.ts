import { expect, test } from 'vitest'
import { packedProject } from './packed-source.ts'
import { engines, startHost } from './plugin-host.ts'

test.each(engines)('the packed events example installs its declared objects and works, on %s', async (engine) => {
  await using host = await startHost(engine)
  const { admin: token } = host
  const { status } = await host.install(await packedProject('examples/events'))
  expect(status).toBe(201)
  await host.phaseIs('events', { phase: 'Started' })
  const role = await host.send('GET /api/v1alpha1/roles/events-audit', { token })
  expect(role.body['rules']).toMatchObject([{ verbs: ['get', 'list'] }])
  const spec = { title: 'Summer meetup', code: 'summer', start: '2130-06-01T18:00:00Z', seats: 1 }
  const event = { metadata: { name: 'meetup' }, spec }
  const made = await host.send('POST /apis/events.example.com/v1/events', { token, body: event })
  expect(made.status).toBe(201)
  const uc = '/apis/uc.api.events.example.com/v1'
  const [ann, bob] = [await host.user('ann'), await host.user('bob')]
  const seat = await host.send(`POST ${uc}/events/meetup/seats`, { token: ann })
  expect(seat.status).toBe(201)
  expect((await host.send(`POST ${uc}/events/meetup/seats`, { token: bob })).status).toBe(409)
  const held = `DELETE /apis/events.example.com/v1/events/meetup`
  expect((await host.send(held, { token })).body['reason']).toBe('InUse')
  const { name = '' } = seat.body as Record<string, unknown>
  const cancelled = await host.send(`POST ${uc}/registrations/${name as string}/cancel`, { token: ann })
  expect(cancelled.status).toBe(204)
  const program = await host.send('GET /apis/api.events.example.com/v1/events', {})
  expect(program.body).toEqual([{ name: 'meetup', title: spec.title, start: spec.start, left: 1 }])
})
