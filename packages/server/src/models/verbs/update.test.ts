import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { postgresFixture } from '../../store/contract/postgres-fixture.ts'
import { modelSpec, openReplica, sqliteReplica, type Replica } from '../contract/replica.ts'

const text = { type: 'string' }
const finalizer = 'test.example.com/hold'

async function withThing(spec: object = { a: 'x' }, metadata: object = {}) {
  const replica = await sqliteReplica()
  await replica.declare(modelSpec({ a: text, n: { type: 'integer' } }))
  const things = replica.of('things')
  const { body } = await things.create({ metadata: { name: 'one', ...metadata }, spec })
  return { replica, things, created: body, [Symbol.asyncDispose]: () => replica[Symbol.asyncDispose]() }
}

describe('concurrent writes on two replicas:', () => {
  const resources = new AsyncDisposableStack()
  let here: Replica
  let there: Replica
  beforeAll(async () => {
    const fixture = resources.use(await postgresFixture(inject('postgres')['18'], (url) => ({ url })))
    here = resources.use(await openReplica(fixture.store))
    there = resources.use(await openReplica(await fixture.reopen()))
    await here.declare(modelSpec({ a: text, n: { type: 'integer' } }))
  })
  afterAll(() => resources.disposeAsync())

  test('updates without a version all succeed, and each gets its own version', async () => {
    const [ours, theirs] = [here.of('things'), there.of('things')]
    await ours.create({ metadata: { name: 'free' }, spec: {} })
    const writes = Array.from({ length: 8 }, (_, n) => (n % 2 ? ours : theirs).update('free', { spec: { n } }))
    const versions = (await Promise.all(writes)).map(({ body }) => body.metadata['version'])
    expect(new Set(versions)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
  })

  test('of updates with the same version one succeeds, and the others get a VersionConflict', async () => {
    const [ours, theirs] = [here.of('things'), there.of('things')]
    await ours.create({ metadata: { name: 'bound' }, spec: {} })
    const outcomes = await Promise.allSettled(
      [ours, theirs, ours, theirs].map((verbs, n) => verbs.update('bound', { metadata: { version: 0 }, spec: { n } })),
    )
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as object] : []))
    expect(refused).toHaveLength(3)
    for (const reason of refused) expect(reason).toMatchObject({ reason: 'VersionConflict' })
    expect((await theirs.get('bound')).body.metadata['version']).toBe(1)
  })

  test('patches of different fields are all kept, because each is applied to the stored object', async () => {
    const [ours, theirs] = [here.of('things'), there.of('things')]
    await ours.create({ metadata: { name: 'patched' }, spec: {} })
    await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        (at % 2 ? ours : theirs).patch('patched', { metadata: { labels: { [`l${at}`]: 'x' } } }),
      ),
    )
    const { metadata } = (await theirs.get('patched')).body
    expect(Object.keys(metadata['labels'] as object)).toHaveLength(8)
  })
})

test('an update that changes nothing keeps version, generation and bytes', async () => {
  await using thing = await withThing()
  const { body } = await thing.things.update('one', { spec: { a: 'x' }, metadata: { version: 0 } })
  expect(body).toEqual(thing.created)
})

describe('the generation counts', () => {
  const cases: readonly (readonly [what: string, change: object, generation: number])[] = [
    ['a changed spec', { spec: { a: 'y' } }, 2],
    ['not labels', { spec: { a: 'x' }, metadata: { labels: { a: 'b' } } }, 1],
    ['not a status', { spec: { a: 'x' }, status: { ready: true } }, 1],
  ]
  for (const [what, change, generation] of cases) {
    test(what, async () => {
      await using thing = await withThing()
      const { body } = await thing.things.update('one', change)
      expect(body.metadata['generation']).toBe(generation)
    })
  }
})

describe('rejects', () => {
  const missing = '01890000-0000-7000-8000-000000000000'
  const cases: readonly (readonly [what: string, body: unknown, reason: string])[] = [
    ['another name than the path', { metadata: { name: 'two' } }, 'BadRequest'],
    ['another uid', { metadata: { uid: missing } }, 'VersionConflict'],
    ['a later version', { metadata: { version: 7 } }, 'VersionConflict'],
    ['a version that is text', { metadata: { version: '0' } }, 'Invalid'],
    ['a version with a fraction', { metadata: { version: 0.5 } }, 'Invalid'],
    ['a version that is null', { metadata: { version: null } }, 'Invalid'],
    ['a uid that is no text', { metadata: { uid: 0 } }, 'Invalid'],
    ['another kind', { kind: 'Other' }, 'TypeMismatch'],
    ['another version of the API', { apiVersion: 'test.example.com/v2' }, 'TypeMismatch'],
    ['a list', [], 'BadRequest'],
    ['metadata that is no object', { metadata: 7 }, 'Invalid'],
    ['metadata that is null', { metadata: null }, 'Invalid'],
    ['finalizers that are no list', { metadata: { finalizers: 'x' } }, 'Invalid'],
    ['labels that are not strings', { metadata: { labels: { a: 1 } } }, 'Invalid'],
    ['an unknown field', { spec: { z: 1 } }, 'Invalid'],
  ]
  for (const [what, body, reason] of cases) {
    test(what, async () => {
      await using thing = await withThing()
      await expect(thing.things.update('one', body)).rejects.toMatchObject({ reason })
      expect((await thing.things.get('one')).body).toEqual(thing.created)
    })
  }

  test('an object that does not exist', async () => {
    await using thing = await withThing()
    await expect(thing.things.update('two', {})).rejects.toMatchObject({ reason: 'NotFound' })
    await expect(thing.things.patch('two', {})).rejects.toMatchObject({ reason: 'NotFound' })
  })

  test('a patch that replaces the object with another value', async () => {
    await using thing = await withThing()
    const type = 'application/json-patch+json'
    const patch = [{ op: 'replace', path: '', value: 7 }]
    await expect(thing.things.patch('one', patch, { type })).rejects.toMatchObject({ reason: 'Invalid' })
  })

  test('an old If-Match, before the body is validated', async () => {
    await using thing = await withThing()
    const headers = { 'if-match': '"x.0"' }
    await expect(thing.things.update('one', 7, { headers })).rejects.toMatchObject({ reason: 'PreconditionFailed' })
    await expect(thing.things.remove('one', { headers })).rejects.toMatchObject({ reason: 'PreconditionFailed' })
    const own = { 'if-match': String((await thing.things.get('one')).headers['etag']) }
    await thing.things.update('one', { spec: { a: 'y' } }, { headers: own })
    await expect(thing.things.patch('one', {}, { headers: own })).rejects.toMatchObject({
      reason: 'PreconditionFailed',
    })
  })
})

describe('finalizers', () => {
  test('keep a deleted object until the last is removed, and none can be added meanwhile', async () => {
    await using thing = await withThing({ a: 'x' }, { finalizers: [finalizer, `${finalizer}2`] })
    const { things } = thing
    const removed = await things.remove('one')
    expect(removed.body.metadata['deletionTimestamp']).toEqual(expect.any(String))
    const again = await things.remove('one')
    expect(again.body.metadata).toEqual(removed.body.metadata)
    await expect(
      things.patch('one', { metadata: { finalizers: [finalizer, 'test.example.com/other'] } }),
    ).rejects.toMatchObject({ reason: 'Invalid', errors: [{ pointer: '/metadata/finalizers/1', rule: 'finalizer' }] })
    await things.update('one', { metadata: { finalizers: [`${finalizer}2`] }, spec: { a: 'y' } })
    expect((await things.get('one')).body.metadata['finalizers']).toEqual([`${finalizer}2`])
    await things.update('one', { spec: { a: 'y' } })
    await expect(things.get('one')).rejects.toMatchObject({ reason: 'NotFound' })
  })
})

describe('the status sub-resource', () => {
  test('changes only the status', async () => {
    await using thing = await withThing()
    const status = { ready: true }
    const sent = { metadata: { labels: { a: 'b' } }, spec: { a: 'y' }, status }
    const { body } = await thing.things.update('one', sent, { part: 'status' })
    expect(body).toEqual({ ...thing.created, status, metadata: { ...thing.created.metadata, version: 1 } })
  })

  test('is not changed by writes to the object', async () => {
    await using thing = await withThing()
    await thing.things.update('one', { status: { ready: true } }, { part: 'status' })
    const { body } = await thing.things.update('one', { spec: { a: 'y' }, status: { ready: false } })
    expect(body.status).toEqual({ ready: true })
    expect((await thing.things.patch('one', { status: null })).body.status).toEqual({ ready: true })
  })

  test('can be removed', async () => {
    await using thing = await withThing()
    await thing.things.update('one', { status: { ready: true } }, { part: 'status' })
    const { body } = await thing.things.patch('one', { status: null }, { part: 'status' })
    expect('status' in body).toBe(false)
  })

  test('is dropped from a new object', async () => {
    await using thing = await withThing()
    expect((await thing.things.create({ metadata: { name: 'two' }, status: { a: 1 } })).body.status).toBeUndefined()
  })

  test('fills in defaults of the status only', async () => {
    await using thing = await withThing()
    const spec = modelSpec({ a: text, b: { ...text, default: 'new' } }, { indexes: [{ name: 'spec.b' }] })
    const status = { type: 'object', properties: { phase: { ...text, default: 'Waiting' } } }
    const [version] = spec.versions
    const properties = { ...version?.schema.properties, status }
    await thing.replica.declare({ ...spec, versions: [{ name: 'v1', schema: { properties } }] })
    const { body } = await thing.things.update('one', { status: {} }, { part: 'status' })
    expect(body).toMatchObject({ spec: thing.created.spec, status: { phase: 'Waiting' }, metadata: { generation: 1 } })
    expect(body.spec).toEqual({ a: 'x' })
  })

  test('validates only the status', async () => {
    await using thing = await withThing()
    const spec = modelSpec({ a: { ...text, maxLength: 0 }, c: text })
    const [version] = spec.versions
    const status = { type: 'object', properties: { phase: text } }
    const schema = { properties: { ...version?.schema.properties, status } }
    await thing.replica.declare({ ...spec, versions: [{ name: 'v1', schema }] })
    await expect(thing.things.update('one', { status: { phase: 7, x: 1 } }, { part: 'status' })).rejects.toMatchObject({
      errors: [{ pointer: '/status/x' }, { pointer: '/status/phase' }],
    })
    expect((await thing.things.update('one', { status: { phase: 'x' } }, { part: 'status' })).status).toBe(200)
  })
})

test('a dry run returns the result of the write without storing it', async () => {
  await using thing = await withThing()
  const { things, created } = thing
  const dryRun = { dryRun: true }
  expect((await things.update('one', { spec: { a: 'y' } }, dryRun)).body).toMatchObject({ metadata: { version: 1 } })
  expect((await things.patch('one', { spec: { a: 'y' } }, dryRun)).body).toMatchObject({ spec: { a: 'y' } })
  expect((await things.remove('one', dryRun)).status).toBe(200)
  expect((await things.create({ metadata: { generateName: 'x-' } }, dryRun)).status).toBe(201)
  await expect(things.create({ metadata: { name: 'one' } }, dryRun)).rejects.toMatchObject({ reason: 'AlreadyExists' })
  await expect(things.update('one', { spec: { a: 1 } }, dryRun)).rejects.toMatchObject({ reason: 'Invalid' })
  expect((await things.list()).body.items).toEqual([created])
})

test('patches cannot grow an object beyond the size of a body', async () => {
  await using thing = await withThing()
  const large = 'x'.repeat(600_000)
  await thing.things.patch('one', { spec: { a: large } })
  const more = thing.things.patch('one', { status: { note: large } }, { part: 'status' })
  await expect(more).rejects.toMatchObject({ reason: 'PayloadTooLarge' })
})
