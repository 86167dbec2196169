import { expect, test } from 'vitest'
import { freshName, jsonPatch, thing } from './collection.ts'
import { plainIndexes, versionsOf } from './models.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

onEachEngine((api) => {
  test('S2.1-7 S2.1-8 a definition needs only a schema of spec and status, which declares their fields', async () => {
    const versions = versionsOf({ city: { type: 'string' } })
    const models = await api.model({ versions, indexes: plainIndexes('spec.city'), composites: [] })
    const sent = { ...thing({ metadata: { labels: { 'a.b/c': 'd' } } }), status: { phase: 'a' } }
    const type = { apiVersion: 'test.example.com/v1alpha1', kind: models.spec.kind }
    const answer = await api.request('POST', models.path, { body: { ...type, ...sent } })
    expectStatus(answer, 201)
    expect(answer.body).toMatchObject({ ...type, ...sent })
    expectStatus(await api.request('POST', models.path, { body: thing({ spec: { age: 1 } }) }), 422)
  })

  test('S2.2-1 S2.2-4 S2.1-8 S4.1-2 S4.1-3 a created object is returned and can be read unchanged', async () => {
    const things = await api.things()
    const name = freshName()
    const spec = { city: 'Rome', age: 9, tags: ['x'], home: { street: 's' }, color: 'blue' }
    const created = await api.request('POST', things.path, { body: { ...thing({ name, spec }), status: { count: 1 } } })
    expectStatus(created, 201)
    expect(created.body).toMatchObject({
      apiVersion: 'test.example.com/v1alpha1',
      kind: 'Thing',
      metadata: { name },
      spec,
      status: { count: 1 },
    })
    const read = await things.get(name)
    expectStatus(read, 200)
    expect(read.body).toEqual(created.body)
  })

  for (const metadata of ['x', [], null, 7]) {
    test(`S2.2-2 ${JSON.stringify(metadata)} as metadata of a new object is rejected`, async () => {
      const answer = await api.request('POST', '/api/v1alpha1/roles', { body: { metadata, rules: [] } })
      expectProblem(answer, 422, 'Invalid')
      expect(answer.body).toMatchObject({ errors: [{ pointer: '/metadata' }] })
    })

    test(`S2.2-2 ${JSON.stringify(metadata)} as metadata of an update is rejected`, async () => {
      const things = await api.things()
      const made = await things.created()
      const { name } = made.metadata
      expectProblem(await things.put(name, { ...thing(), metadata }), 422, 'Invalid')
      const operations = [{ op: 'replace', path: '/metadata', value: metadata }]
      const options = { headers: { 'content-type': jsonPatch } }
      expectProblem(await things.patch(name, operations, options), 422, 'Invalid')
      expect(await things.read(name)).toEqual(made)
    })
  }

  test('S2.3-1 creating a second object with the same name is 409 AlreadyExists', async () => {
    const things = await api.things()
    const { metadata } = await things.created()
    const again = await things.create({ name: metadata.name, spec: { city: 'Oslo' } })
    expectProblem(again, 409, 'AlreadyExists')
    expect((await things.read(metadata.name)).spec['city']).toBe('Rome')
  })

  test('S2.3-1 objects of two models can have the same name', async () => {
    const name = freshName()
    const [first, second] = [await api.model(), await api.model()]
    await first.created({ name })
    expectStatus(await second.create({ name }), 201)
  })

  test('S2.7-7 a label can be selected as soon as it is set, and not after it is removed', async () => {
    const models = await api.model({ indexes: [], composites: [] })
    const { metadata } = await models.created()
    const labelled = () => models.names({ labelSelector: 'a.b/fresh=yes' })
    expect(await labelled()).toEqual([])
    expectStatus(await models.patch(metadata.name, { metadata: { labels: { 'a.b/fresh': 'yes' } } }), 200)
    expect(await labelled()).toEqual([metadata.name])
    for (const value of ['no', 'yes', null]) {
      expectStatus(await models.patch(metadata.name, { metadata: { labels: { 'a.b/fresh': value } } }), 200)
      expect(await labelled()).toEqual(value === 'yes' ? [metadata.name] : [])
    }
  })
})
