import { expect, test } from 'vitest'
import { freshName, jsonPatch, sentBack, thing } from './collection.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Values that a client may send in server-owned metadata. */
const claimed = {
  uid: '01890000-0000-7000-8000-000000000000',
  creationTimestamp: '2001-01-01T00:00:00.000Z',
  version: 41,
  generation: 42,
  deletionTimestamp: '2001-01-01T00:00:00.000Z',
}

onEachEngine((api) => {
  test('C2-1 uid is a UUIDv7', async () => {
    const things = await api.things()
    expect((await things.created()).metadata.uid).toMatch(uuidv7)
  })

  test('C2-2 S2.3-2 creationTimestamp is generated on create, in UTC with milliseconds', async () => {
    const things = await api.things()
    const before = Date.now()
    const { creationTimestamp } = (await things.created()).metadata
    const after = Date.now()
    expect(creationTimestamp).toMatch(timestamp)
    expect(Date.parse(creationTimestamp)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(creationTimestamp)).toBeLessThanOrEqual(after)
  })

  test('C2-3 a change of spec increments generation', async () => {
    const things = await api.things()
    const made = await things.created()
    const updated = await things.updated(made.metadata.name, sentBack(made, { spec: { note: 'new' } }))
    expect(updated.metadata.generation).toBe(made.metadata.generation + 1)
  })

  test('C2-4 a change of only metadata keeps generation', async () => {
    const things = await api.things()
    const made = await things.created()
    const updated = await things.updated(made.metadata.name, sentBack(made, { metadata: { labels: { 'a.b/c': 'd' } } }))
    expect(updated.metadata).toMatchObject({ version: 1, generation: made.metadata.generation })
  })

  test('C2-5 S2.2-4 a change of only status is stored and keeps generation', async () => {
    const things = await api.things()
    const made = await things.created()
    const updated = await things.updated(made.metadata.name, sentBack(made, { status: { phase: 'Ready' } }))
    expect(updated.metadata).toMatchObject({ version: 1, generation: made.metadata.generation })
    expect((await things.read(made.metadata.name)).status).toEqual({ phase: 'Ready' })
  })

  test('C2-6 server-owned metadata in a create request is ignored', async () => {
    const things = await api.things()
    const { metadata } = await things.created({ metadata: claimed })
    expect(metadata.version).toBe(0)
    expect(metadata.uid).not.toBe(claimed.uid)
    expect(metadata.creationTimestamp).not.toBe(claimed.creationTimestamp)
    expect(metadata.generation).not.toBe(claimed.generation)
    expect(metadata).not.toHaveProperty('deletionTimestamp')
  })

  test('C2-7 server-owned metadata in an update is ignored', async () => {
    const things = await api.things()
    const { metadata } = await things.created()
    const { creationTimestamp, generation, deletionTimestamp } = claimed
    const sent = thing({ name: metadata.name, metadata: { creationTimestamp, generation, deletionTimestamp } })
    const answer = await things.put(metadata.name, { ...sent, spec: { city: 'Oslo' } })
    expectStatus(answer, 200)
    const read = (await things.read(metadata.name)).metadata
    expect(read.creationTimestamp).toBe(metadata.creationTimestamp)
    expect(read.generation).toBe(metadata.generation + 1)
    expect(read).not.toHaveProperty('deletionTimestamp')
  })

  test('S2.3-6 an update with an older or newer version than the stored one is 409 VersionConflict', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    await things.updated(name, sentBack(made, { spec: { note: 'a' } }))
    for (const version of [0, 2]) {
      const answer = await things.put(name, sentBack(made, { metadata: { version }, spec: { note: 'b' } }))
      expectProblem(answer, 409, 'VersionConflict')
    }
    expect((await things.read(name)).spec['note']).toBe('a')
    await things.updated(name, sentBack(made, { metadata: { version: 1 }, spec: { note: 'c' } }))
  })

  test('C2-134 an update with a version that is not an integer is 422 and points to it', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    for (const version of ['0', null, true, 0.5]) {
      const replaced = await things.put(name, sentBack(made, { metadata: { version }, spec: { note: 'b' } }))
      const steps = [{ op: 'add', path: '/metadata/version', value: version }]
      const patched = await things.patch(name, steps, { headers: { 'content-type': jsonPatch } })
      for (const [answer, pointer] of [
        [replaced, '/metadata/version'],
        [patched, '/0/value'],
      ] as const) {
        expectProblem(answer, 422, 'Invalid')
        expect(answer.body).toMatchObject({ errors: [{ pointer, rule: 'type' }] })
      }
    }
    expect(await things.read(name)).toEqual(made)
  })

  test('C2-9 an update with another uid is 409', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name, uid } = made.metadata
    const other = await things.put(name, sentBack(made, { metadata: { uid: claimed.uid }, spec: { note: 'b' } }))
    expectProblem(other, 409, 'VersionConflict')
    expect(other.body).toMatchObject({ errors: [{ pointer: '/metadata/uid', params: { stored: uid } }] })
    await things.updated(name, sentBack(made, { metadata: { uid }, spec: { note: 'c' } }))
  })

  test('C2-10 C2-11 version is 0 on create and is incremented by every stored change', async () => {
    const things = await api.things()
    const made = await things.created()
    const { name } = made.metadata
    expect(made.metadata.version).toBe(0)
    const changes = [{ spec: { note: 'a' } }, { metadata: { labels: { 'a.b/c': 'd' } } }, { status: { phase: 'b' } }]
    for (const [at, change] of changes.entries()) {
      expect((await things.updated(name, sentBack(made, change))).metadata.version).toBe(at + 1)
    }
    expect((await things.read(name)).metadata.version).toBe(3)
  })

  test('S2.3-5 an update without a version is applied and the version is filled in', async () => {
    const things = await api.things()
    const { metadata } = await things.created()
    const sent = thing({ name: metadata.name, spec: { note: 'x' } })
    expect((await things.updated(metadata.name, sent)).metadata.version).toBe(1)
  })

  test('C2-13 responses with a single object have its ETag', async () => {
    const things = await api.things()
    const posted = await things.create()
    expectStatus(posted, 201)
    const { metadata } = posted.body as Awaited<ReturnType<typeof things.read>>
    const { name, uid } = metadata
    const answers = [
      posted,
      await things.get(name),
      await things.put(name, thing({ name, spec: { note: 'a' } })),
      await things.patch(name, { spec: { note: 'b' } }),
      await things.patch(name, { metadata: { finalizers: ['a.example/b'] } }),
      await things.delete(name),
    ]
    const versions = [0, 0, 1, 2, 3, 4]
    expect(answers.map(({ headers }) => headers.etag)).toEqual(versions.map((version) => `"${uid}.${version}"`))
  })

  test('C2-23 a generated name is generateName and eight letters or digits', async () => {
    const things = await api.things()
    const answer = await api.request('POST', things.path, {
      body: { metadata: { generateName: 'made-' }, spec: { city: 'Rome' } },
    })
    expectStatus(answer, 201)
    expect(answer.body).toMatchObject({ metadata: { name: expect.stringMatching(/^made-[a-z0-9]{8}$/) as string } })
  })

  test('C2-24 generateName is ignored when there is a name', async () => {
    const things = await api.things()
    const name = freshName()
    expect((await things.created({ name, metadata: { generateName: 'made-' } })).metadata.name).toBe(name)
  })

  test('C2-25 objects with the same generateName get different names', async () => {
    const body = { metadata: { generateName: 'many-' }, spec: { city: 'Rome' } }
    const { path } = await api.things()
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.request('POST', path, { body })))
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(50)
  })
})
