import { expect, test } from 'vitest'
import { freshName, jsonPatch, mergePatch, sentBack, thing } from './collection.ts'
import { expectProblem, expectStatus } from './request.ts'
import { schemaOf, thingFields, versionsOf, type Schema } from './models.ts'
import { onEachEngine, once } from './server.ts'

const asJsonPatch = { headers: { 'content-type': jsonPatch } }
/** The contract requires a rejection but does not name the status. */
const refused = [400, 409, 412, 422]

onEachEngine((api) => {
  const withStatus = once(() => api.model({ statusSubresource: true }))

  test('C2-26 PUT on a missing object is 404 and creates nothing', async () => {
    const things = await api.things()
    const name = freshName()
    expectProblem(await things.put(name, thing({ name })), 404, 'NotFound')
    expectProblem(await things.get(name), 404, 'NotFound')
  })

  test('C2-27 C2-28 S4.1-4 PUT replaces spec and status and returns the updated object', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ spec: { note: 'a', age: 3 }, status: { phase: 'a', count: 1 } })
    const sent = { ...thing({ name: metadata.name, spec: { city: 'Oslo' } }), status: { phase: 'b' } }
    const answer = await things.updated(metadata.name, sent)
    expect(answer.spec).toEqual({ city: 'Oslo', color: 'green' })
    expect(answer.status).toEqual({ phase: 'b' })
    expect(await things.read(metadata.name)).toEqual(answer)
  })

  test('C2-28 PUT without a status removes the status', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ status: { phase: 'a' } })
    expect(await things.updated(metadata.name, thing({ name: metadata.name }))).not.toHaveProperty('status')
  })

  test('C2-29 PUT on the object does not change a status sub-resource', async () => {
    const models = await withStatus()
    const made = await models.created()
    const { name } = made.metadata
    expectStatus(await models.put(`${name}/status`, { ...made, status: { phase: 'set' } }), 200)
    for (const status of [{ phase: 'other' }, undefined]) {
      const sent = { ...thing({ name, spec: { note: `${status?.phase}` } }), ...(status && { status }) }
      expect((await models.updated(name, sent)).status).toEqual({ phase: 'set' })
    }
  })

  test('C2-30 PATCH on the object does not change a status sub-resource', async () => {
    const models = await withStatus()
    const made = await models.created()
    const { name } = made.metadata
    expectStatus(await models.put(`${name}/status`, { ...made, status: { phase: 'set' } }), 200)
    expectStatus(await models.patch(name, { spec: { note: 'n' }, status: { phase: 'other' } }), 200)
    expect(await models.read(name)).toMatchObject({ spec: { note: 'n' }, status: { phase: 'set' } })
  })

  test('C2-31 PUT on status changes only the status', async () => {
    const models = await withStatus()
    const made = await models.created()
    const { name } = made.metadata
    const sent = sentBack(made, { metadata: { labels: { 'a.b/c': 'd' } }, spec: { note: 'n' } })
    expectStatus(await models.put(`${name}/status`, { ...sent, status: { phase: 'set' } }), 200)
    const read = await models.read(name)
    expect(read).toEqual({ ...made, metadata: { ...made.metadata, version: 1 }, status: { phase: 'set' } })
  })

  test('C2-32 PATCH on status changes only the status', async () => {
    const models = await withStatus()
    const made = await models.created()
    const { name } = made.metadata
    const patch = { metadata: { labels: { 'a.b/c': 'd' } }, spec: { note: 'n' }, status: { phase: 'set' } }
    expectStatus(await models.patch(`${name}/status`, patch), 200)
    const read = await models.read(name)
    expect(read).toEqual({ ...made, metadata: { ...made.metadata, version: 1 }, status: { phase: 'set' } })
  })

  test('C2-29 C2-31 C2-32 new defaults of a schema are filled in only in the part that is written', async () => {
    const models = await api.model({ statusSubresource: true })
    const [byObject, byStatus] = [await models.created(), await models.created()]
    for (const made of [byObject, byStatus]) {
      expectStatus(await models.put(`${made.metadata.name}/status`, { ...made, status: { phase: 'a' } }), 200)
    }
    const later = { type: 'string', default: 'later' }
    const { properties } = schemaOf({ ...thingFields, later }, ['city']) as { properties: Record<string, Schema> }
    const status = { type: 'object', properties: { phase: { type: 'string' }, later } }
    const versions = [{ name: 'v1alpha1', schema: { properties: { ...properties, status } } }]
    await models.redefine({ statusSubresource: true, versions })
    const { name } = byObject.metadata
    const updated = await models.updated(name, thing({ name, spec: { note: 'n' } }))
    expect(updated).toMatchObject({ spec: { later: 'later' } })
    expect(updated.status).toEqual({ phase: 'a' })
    expectStatus(await models.patch(`${byStatus.metadata.name}/status`, { status: { phase: 'b' } }), 200)
    const { spec, status: written } = await models.read(byStatus.metadata.name)
    expect({ spec, status: written }).toEqual({ spec: byStatus.spec, status: { phase: 'b', later: 'later' } })
  })

  test('C2-33 POST drops the status of a model with a status sub-resource', async () => {
    const models = await withStatus()
    const made = await models.created({ status: { phase: 'sent' } })
    expect(made).not.toHaveProperty('status')
    expect(await models.read(made.metadata.name)).not.toHaveProperty('status')
  })

  test('C2-34 a merge patch sets, keeps and removes fields', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ spec: { note: 'a', age: 3, home: { street: 's', number: 1 } } })
    const answer = await things.patch(metadata.name, {
      spec: { note: null, rank: null, nick: 'abc', home: { number: 2 }, extra: { kept: 1, gone: null } },
    })
    expectStatus(answer, 200)
    expect((await things.read(metadata.name)).spec).toEqual({
      city: 'Rome',
      color: 'green',
      age: 3,
      nick: 'abc',
      home: { street: 's', number: 2 },
      extra: { kept: 1 },
    })
  })

  test('C2-35 a JSON Patch supports every operation', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ spec: { note: 'a', nick: 'bcd', age: 3, tags: ['x', 'z'] } })
    const operations = [
      { op: 'test', path: '/spec/note', value: 'a' },
      { op: 'add', path: '/spec/tags/1', value: 'y' },
      { op: 'add', path: '/spec/tags/-', value: 'end' },
      { op: 'remove', path: '/spec/age' },
      { op: 'replace', path: '/spec/city', value: 'Oslo' },
      { op: 'move', from: '/spec/note', path: '/spec/code' },
      { op: 'copy', from: '/spec/nick', path: '/spec/note' },
    ]
    expectStatus(await things.patch(metadata.name, operations, asJsonPatch), 200)
    expect((await things.read(metadata.name)).spec).toEqual({
      city: 'Oslo',
      code: 'a',
      color: 'green',
      nick: 'bcd',
      note: 'bcd',
      tags: ['x', 'y', 'z', 'end'],
    })
  })

  test('C2-35 pointers of a JSON Patch are unescaped: ~1 to a slash, then ~0 to a tilde', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ spec: { extra: { 'a/b': 1, 'c~d': 2, '~1': 3 } } })
    const operations = ['a~1b', 'c~0d', '~01'].map((key) => ({ op: 'replace', path: `/spec/extra/${key}`, value: 9 }))
    expectStatus(await things.patch(metadata.name, operations, asJsonPatch), 200)
    expect((await things.read(metadata.name)).spec['extra']).toEqual({ 'a/b': 9, 'c~d': 9, '~1': 9 })
  })

  const wrong = [
    { op: 'add', path: '/spec/tags/3', value: 'beyond the end' },
    { op: 'add', path: '/spec/tags/01', value: 'not a number' },
    { op: 'add', path: '/spec/extra/none/a', value: 'below nothing' },
    { op: 'remove', path: '/spec/note' },
    { op: 'replace', path: '/spec/note', value: 'nothing is there' },
    { op: 'move', from: '/spec/note', path: '/spec/nick' },
    { op: 'move', from: '/spec/extra', path: '/spec/extra/inside' },
    { op: 'copy', from: '/spec/note', path: '/spec/nick' },
    { op: 'test', path: '/spec/note', value: null },
  ]
  for (const operation of wrong) {
    test(`C2-35 ${JSON.stringify(operation)} is rejected and changes nothing`, async () => {
      const things = await api.things()
      const made = await things.created({ spec: { tags: ['x', 'z'], extra: { a: 1 } } })
      const answer = await things.patch(made.metadata.name, [operation], asJsonPatch)
      expect(refused).toContain(answer.status)
      expect(await things.read(made.metadata.name)).toEqual(made)
    })
  }

  test('C2-36 a JSON Patch that fails halfway changes nothing', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    const set = { op: 'add', path: '/spec/note', value: 'half' }
    const failing = [
      { op: 'test', path: '/spec/city', value: 'other' },
      { op: 'remove', path: '/spec/nowhere' },
    ]
    for (const operation of failing) {
      expect(refused).toContain((await things.patch(name, [set, operation], asJsonPatch)).status)
    }
    expect(await things.read(name)).toEqual(made)
  })

  test('C2-37 a JSON Patch of 1,000 operations is applied, one of 1,001 is rejected', async () => {
    const things = await api.things()
    const { metadata } = await things.created()
    const operations = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ op: 'add', path: '/spec/note', value: `${at}` }))
    expectStatus(await things.patch(metadata.name, operations(1_000), asJsonPatch), 200)
    const tooMany = await things.patch(metadata.name, operations(1_001), asJsonPatch)
    expect([...refused, 413]).toContain(tooMany.status)
    expect((await things.read(metadata.name)).spec['note']).toBe('999')
  })

  test('C2-38 C5-22 a patch with another content type is 415', async () => {
    const things = await api.things()
    const { metadata } = await things.created()
    for (const type of ['application/json', 'application/strategic-merge-patch+json', 'text/plain']) {
      const answer = await things.patch(metadata.name, { spec: {} }, { headers: { 'content-type': type } })
      expectProblem(answer, 415, 'UnsupportedMediaType')
    }
    const parameter = { headers: { 'content-type': `${mergePatch}; charset=utf-8` } }
    expectStatus(await things.patch(metadata.name, { spec: { note: 'a' } }, parameter), 200)
  })

  test('C2-39 concurrent patches without a version are all applied', async () => {
    const things = await api.things()
    const { metadata } = await things.created()
    const keys = Array.from({ length: 8 }, (_, at) => `x.example/k${at}`)
    const answers = await Promise.all(
      keys.map((key) => things.patch(metadata.name, { metadata: { labels: { [key]: 'v' } } })),
    )
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
    const read = (await things.read(metadata.name)).metadata
    expect(Object.keys(read.labels ?? {}).toSorted()).toEqual(keys)
    expect(read.version).toBe(8)
  })

  test('C2-39 patches that wait for the same new schema, and therefore run concurrently, are all applied', async () => {
    const models = await api.model()
    const { metadata } = await models.created()
    await models.redefine({ versions: versionsOf({ ...thingFields, later: { type: 'string' } }, ['city']) })
    const keys = Array.from({ length: 8 }, (_, at) => `k${at}`)
    const patches = keys.map((key) => models.patch(metadata.name, { spec: { extra: { [key]: 1 } } }))
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual(keys.map(() => 200))
    const { spec } = await models.read(metadata.name)
    expect(Object.keys(spec['extra'] as object).toSorted()).toEqual(keys)
  })
})
