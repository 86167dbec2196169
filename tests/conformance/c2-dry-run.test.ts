import { expect, test } from 'vitest'
import { freshName, thing } from './collection.ts'
import { core, login, person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const dryRun = '?dryRun=true'
const profile = '/apis/api.platform.run/v1alpha1/users/-'
const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

onEachEngine((api) => {
  test('C2-59 POST with dryRun returns the object and stores nothing', async () => {
    const things = await api.things()
    const name = freshName()
    const answer = await api.request('POST', `${things.path}${dryRun}`, { body: thing({ name }) })
    expectStatus(answer, 201)
    expect(answer.body).toMatchObject({ kind: 'Thing', metadata: { name, version: 0 }, spec: { color: 'green' } })
    expectProblem(await things.get(name), 404, 'NotFound')
    await things.created({ name })
  })

  test('C2-60 PUT with dryRun returns the object and stores nothing', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    const answer = await things.put(`${name}${dryRun}`, thing({ name, spec: { note: 'dry' } }))
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ metadata: { version: 1 }, spec: { note: 'dry' } })
    expect(await things.read(name)).toEqual(made)
  })

  test('C2-61 PATCH with dryRun returns the object and stores nothing', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    const answer = await things.patch(`${name}${dryRun}`, { spec: { note: 'dry' } })
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ metadata: { version: 1 }, spec: { note: 'dry' } })
    expect(await things.read(name)).toEqual(made)
  })

  test('C2-62 DELETE with dryRun returns the object and removes nothing', async () => {
    const things = await api.things()
    const made = await things.created()
    const held = await things.created({ metadata: { finalizers: ['a.example/b'] } })
    for (const object of [made, held]) {
      const { name } = object.metadata
      const answer = await things.delete(`${name}${dryRun}`)
      expectStatus(answer, 200)
      expect(answer.body).toMatchObject({ metadata: { name, deletionTimestamp: expect.any(String) as string } })
      expect(await things.read(name)).toEqual(object)
    }
  })

  test('C2-63 DELETE of a collection with dryRun returns the counts and removes nothing', async () => {
    const models = await api.model()
    await models.created()
    await models.created({ metadata: { finalizers: ['a.example/b'] } })
    const answer = await models.send('DELETE', { all: 'true', dryRun: 'true' })
    expectStatus(answer, 200)
    expect(answer.body).toEqual({ deleted: 1, pending: 1, refused: 0, remaining: false })
    const { items } = await models.listed()
    expect(items.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined])
  })

  test('C2-64 a write with dryRun is rejected for every reason for which a real write is rejected', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ spec: { code: 'dry-taken' } })
    const { name } = metadata
    const post = (body: unknown) => api.request('POST', `${things.path}${dryRun}`, { body })
    expectProblem(await post(thing({ spec: { age: -1 } })), 422, 'Invalid')
    expectProblem(await post(thing({ name })), 409, 'AlreadyExists')
    expectProblem(await post(thing({ spec: { code: 'dry-taken' } })), 409, 'DuplicateIndexValue')
    const put = (version: number) => things.put(`${name}${dryRun}`, thing({ name, metadata: { version } }))
    expectProblem(await put(7), 409, 'VersionConflict')
    expectProblem(
      await things.delete(`${name}${dryRun}`, { headers: { 'if-match': '"x.0"' } }),
      412,
      'PreconditionFailed',
    )
    expectProblem(await things.delete(`${freshName()}${dryRun}`), 404, 'NotFound')
  })

  test('C2-91 PUT on the status with dryRun stores nothing', async () => {
    const models = await api.model({ statusSubresource: true })
    const made = await models.created()
    const { name } = made.metadata
    const answer = await models.put(`${name}/status${dryRun}`, { ...made, status: { phase: 'dry' } })
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ status: { phase: 'dry' } })
    expect(await models.read(name)).toEqual(made)
  })

  test('C2-201 an endpoint of the host rejects unknown query parameters and changes nothing', async () => {
    const ann = await person(api)
    const headers = { origin: api.origin() }
    const rows = [
      ['GET', '/auth/sessions?page=1'],
      ['DELETE', '/auth/sessions/-?dryRun=true'],
      ['PATCH', `${profile}?dryrun=true`, { displayName: 'Ann' }],
      ['POST', `${tokens}?x`, {}],
    ] as const
    for (const [method, path, body] of rows) {
      const answer = await ann.request(method, path, { headers, ...(body && { body }) })
      expectProblem(answer, 400, 'BadRequest')
      expect(answer.text).toContain('query parameter')
    }
    expect((await ann.request('GET', profile)).body).not.toHaveProperty('displayName')
    expect((await ann.request('GET', tokens)).body).toEqual({ items: [] })
  })

  test('C2-202 a change of the own profile with dryRun returns the profile and stores nothing', async () => {
    const ann = await person(api)
    const body = { displayName: 'Ann' }
    const answer = await ann.request('PATCH', `${profile}${dryRun}`, { body })
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ name: ann.name, displayName: 'Ann' })
    expect((await ann.request('GET', profile)).body).not.toHaveProperty('displayName')
    const wrong = await ann.request('PATCH', `${profile}${dryRun}`, { body: { displayName: '' } })
    expectProblem(wrong, 422, 'Invalid')
  })

  test('C2-203 creating and deleting an own token with dryRun returns the object and changes nothing', async () => {
    const ann = await person(api)
    const dry = await ann.request('POST', `${tokens}${dryRun}`, { body: { description: 'dry' } })
    expectStatus(dry, 201)
    expect(dry.body).toMatchObject({ spec: { owner: ann.name, description: 'dry' } })
    expect(dry.body).not.toHaveProperty('token')
    expect((await ann.request('GET', tokens)).body).toEqual({ items: [] })

    const made = await ann.request('POST', tokens, { body: {} })
    const { token, metadata } = made.body as { token: string; metadata: { name: string } }
    const deleted = await ann.request('DELETE', `${tokens}/${metadata.name}${dryRun}`)
    expectStatus(deleted, 200)
    expect(deleted.body).toMatchObject({ metadata: { name: metadata.name } })
    expectStatus(await api.request('GET', tokens, { token }), 200)
    expectProblem(await ann.request('DELETE', `${tokens}/not-there${dryRun}`), 404, 'NotFound')
  })

  test('C2-204 setting a password with dryRun checks everything and keeps password, sessions and tokens', async () => {
    const ann = await person(api, { hasPassword: true })
    const made = await ann.request('POST', tokens, { body: {} })
    const { token } = made.body as { token: string }
    const path = `${core}/users/${ann.name}/password${dryRun}`
    const set = (password: string) => api.request('PUT', path, { body: { password } })
    const headers = { origin: api.origin() }
    const change = (current: string) =>
      ann.request('PUT', `/auth/password${dryRun}`, { body: { current, new: 'quite another one' }, headers })
    expectStatus(await set('quite another one'), 200)
    expectProblem(await set('aaaaaaaaaaaa'), 422, 'Invalid')
    expectStatus(await change('correct horse battery'), 200)
    expectProblem(await change('not the password'), 403, 'Forbidden')
    expectStatus(await ann.request('GET', '/apis'), 200)
    expectStatus(await api.request('GET', tokens, { token }), 200)
    expectStatus(await login(api, { username: ann.name }), 201)
  })
})
