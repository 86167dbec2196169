import { expect, test } from 'vitest'
import { freshName, sentBack, thing, type Collection, type StoredThing } from './collection.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const finalizers = ['a.example/first', 'a.example/second']

/** Creates an object with finalizers and deletes it. */
async function declaredDeleted(things: Collection, spec: Record<string, unknown> = {}): Promise<StoredThing> {
  const { metadata } = await things.created({ metadata: { finalizers }, spec })
  expectStatus(await things.delete(metadata.name), 200)
  return things.read(metadata.name)
}

onEachEngine((api) => {
  test('C2-75 a second DELETE does not change deletionTimestamp', async () => {
    const things = await api.things()
    const { metadata } = await declaredDeleted(things)
    expect(metadata.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expectStatus(await things.delete(metadata.name), 200)
    expect((await things.read(metadata.name)).metadata).toEqual(metadata)
  })

  test('S2.3-10 DELETE removes an object without finalizers and releases its name', async () => {
    const things = await api.things()
    const { metadata } = await things.created()
    expectStatus(await things.delete(metadata.name), 200)
    expectProblem(await things.get(metadata.name), 404, 'NotFound')
    expect((await things.created({ name: metadata.name })).metadata.uid).not.toBe(metadata.uid)
  })

  test('S2.3-7 S2.3-8 S2.3-10 a deleted object with finalizers gets a deletionTimestamp and can still be read and listed', async () => {
    const things = await api.things()
    const live = await things.created({ metadata: { finalizers } })
    expect(live.metadata).not.toHaveProperty('deletionTimestamp')
    expectStatus(await things.delete(live.metadata.name), 200)
    const { metadata } = await things.read(live.metadata.name)
    expect(metadata).toMatchObject({ finalizers, deletionTimestamp: expect.any(String) as string })
    const names = await things.names({ fieldSelector: `metadata.name=${metadata.name}` })
    expect(names).toEqual([metadata.name])
  })

  test('C2-78 an update that removes the last finalizer of a deleted object removes the object', async () => {
    const things = await api.things()
    const byPut = await declaredDeleted(things)
    expectStatus(await things.put(byPut.metadata.name, sentBack(byPut, { metadata: { finalizers: [] } })), 200)
    const byPatch = await declaredDeleted(things)
    expectStatus(await things.patch(byPatch.metadata.name, { metadata: { finalizers: null } }), 200)
    for (const { metadata } of [byPut, byPatch]) {
      expectProblem(await things.get(metadata.name), 404, 'NotFound')
    }
  })

  test('C2-79 a deleted object stays when one of its two finalizers is removed', async () => {
    const things = await api.things()
    const { metadata } = await declaredDeleted(things)
    const left = finalizers.slice(1)
    expectStatus(await things.patch(metadata.name, { metadata: { finalizers: left } }), 200)
    expect((await things.read(metadata.name)).metadata).toMatchObject({
      finalizers: left,
      deletionTimestamp: metadata.deletionTimestamp,
    })
  })

  test('C2-80 adding a finalizer to a deleted object is rejected', async () => {
    const things = await api.things()
    const { metadata } = await declaredDeleted(things)
    const more = await things.patch(metadata.name, { metadata: { finalizers: [...finalizers, 'a.example/third'] } })
    expectProblem(more, 422, 'Invalid')
    const swapped = await things.patch(metadata.name, { metadata: { finalizers: ['a.example/third'] } })
    expectProblem(swapped, 422, 'Invalid')
    expect((await things.read(metadata.name)).metadata.finalizers).toEqual(finalizers)
  })

  test('C2-81 the name of a deleted object stays reserved until the object is removed', async () => {
    const things = await api.things()
    const { metadata } = await declaredDeleted(things)
    expectProblem(await things.create({ name: metadata.name }), 409, 'AlreadyExists')
    expectStatus(await things.patch(metadata.name, { metadata: { finalizers: [] } }), 200)
    await things.created({ name: metadata.name })
  })

  test('C2-82 the unique values of a deleted object stay reserved until the object is removed', async () => {
    const things = await api.things()
    const { metadata } = await declaredDeleted(things, { code: 'held' })
    expectProblem(await things.create({ spec: { code: 'held' } }), 409, 'DuplicateIndexValue')
    expectStatus(await things.patch(metadata.name, { metadata: { finalizers: [] } }), 200)
    await things.created({ spec: { code: 'held' } })
  })

  test('C2-83 DELETE returns the object as last stored with its deletionTimestamp', async () => {
    const things = await api.things()
    const made = await things.created({ spec: { note: 'last' }, status: { phase: 'a' } })
    const answer = await things.delete(made.metadata.name)
    expectStatus(answer, 200)
    const { metadata, ...rest } = answer.body as StoredThing
    const { metadata: before, ...fields } = made
    expect(rest).toEqual(fields)
    expect(metadata).toMatchObject({ uid: before.uid, deletionTimestamp: expect.any(String) as string })
  })

  test('C2-84 DELETE of an object with finalizers returns it with its deletionTimestamp', async () => {
    const things = await api.things()
    const made = await things.created({ metadata: { finalizers } })
    const answer = await things.delete(made.metadata.name)
    expectStatus(answer, 200)
    expect(answer.body).toEqual(await things.read(made.metadata.name))
    expect(answer.body).toMatchObject({ metadata: { finalizers, deletionTimestamp: expect.any(String) as string } })
  })

  test('C2-132 DELETE of an object or a collection with a body is 400 and removes nothing', async () => {
    const models = await api.model()
    const { metadata } = await models.created()
    const { name } = metadata
    for (const body of [{ preconditions: { uid: 'x' } }, '{}']) {
      expectProblem(await models.delete(name, { body }), 400, 'BadRequest')
      expectProblem(await models.send('DELETE', { all: 'true' }, { body }), 400, 'BadRequest')
    }
    expect(await models.names()).toEqual([name])
    expectStatus(await models.delete(name, { body: '' }), 200)
  })

  test('C2-85 DELETE of a collection without a selector is 400 and removes nothing', async () => {
    const models = await api.model()
    const { metadata } = await models.created()
    expect((await api.request('DELETE', models.path)).status).toBe(400)
    expect((await models.send('DELETE', { all: 'false' })).status).toBe(400)
    expect(await models.names()).toEqual([metadata.name])
  })

  test('C2-86 DELETE of a collection removes exactly the objects that the label selector selects', async () => {
    const models = await api.model()
    const kept = await models.created({ metadata: { labels: { 'a.b/c': 'keep' } } })
    for (let at = 0; at < 3; at++) await models.created({ metadata: { labels: { 'a.b/c': 'drop' } } })
    const answer = await models.send('DELETE', { labelSelector: 'a.b/c=drop' })
    expectStatus(answer, 200)
    expect(answer.body).toMatchObject({ deleted: 3 })
    expect(await models.names()).toEqual([kept.metadata.name])
  })

  test('C2-87 DELETE of a collection removes exactly the objects that the field selector selects', async () => {
    const models = await api.model()
    const kept = await models.created()
    await models.created({ spec: { city: 'Oslo' } })
    expectStatus(await models.send('DELETE', { fieldSelector: 'spec.city=Oslo' }), 200)
    expect(await models.names()).toEqual([kept.metadata.name])
  })

  test('C2-88 C2-89 DELETE with all=true deletes every object and returns how many are removed and how many wait', async () => {
    const models = await api.model()
    const name = freshName()
    await models.created({ name, metadata: { finalizers } })
    for (let at = 0; at < 2; at++) await models.created()
    const answer = await models.send('DELETE', { all: 'true' })
    expectStatus(answer, 200)
    expect(answer.body).toEqual({ deleted: 2, pending: 1, refused: 0, remaining: false })
    const { items } = await models.listed()
    expect(items).toMatchObject([{ metadata: { name, deletionTimestamp: expect.any(String) as string } }])
  })

  test('C2-90 DELETE of a collection is not limited to one batch', async () => {
    const models = await api.model()
    await Promise.all(Array.from({ length: 1_100 }, () => api.request('POST', models.path, { body: thing() })))
    let deleted = 0
    for (let more = true; more;) {
      const answer = await models.send('DELETE', { all: 'true' })
      expectStatus(answer, 200)
      const counts = answer.body as { deleted: number; remaining: boolean }
      deleted += counts.deleted
      more = counts.remaining
    }
    expect(deleted).toBe(1_100)
    expect(await models.names()).toEqual([])
  })
})
