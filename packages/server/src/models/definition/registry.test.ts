import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createLog } from '../../base/log.ts'
import { postgresFixture } from '../../store/contract/postgres-fixture.ts'
import { modelSpec, openReplica, sqliteReplica, testGroup, type Replica } from '../contract/replica.ts'
import { modelObjectName } from './model-object-name.ts'
import { createDefinitionFollower } from './definition-follower.ts'

const text = { type: 'string' }

describe('of two replicas on one database,', () => {
  const resources = new AsyncDisposableStack()
  let here: Replica
  let there: Replica
  beforeAll(async () => {
    const fixture = resources.use(await postgresFixture(inject('postgres')['18'], (url) => ({ url })))
    here = resources.use(await openReplica(fixture.store))
    there = resources.use(await openReplica(await fixture.reopen()))
  })
  afterAll(() => resources.disposeAsync())

  let models = 0
  /** A new model for each test, served by both replicas. */
  const declared = async (properties: Readonly<Record<string, object>> = { a: text }) => {
    const plural = `things${++models}`
    const words = { plural, singular: `thing${models}`, kind: `Thing${models}` }
    await here.declare(modelSpec(properties, words))
    const [ours, theirs] = [here.of(plural), there.of(plural)]
    await ours.create({ metadata: { name: 'first' }, spec: {} })
    await theirs.create({ metadata: { name: 'second' }, spec: {} })
    return { words, ours, theirs }
  }

  test('one serves a model as soon as the other has defined it', async () => {
    const { theirs } = await declared()
    const { items } = (await theirs.list('sort=metadata.name')).body
    expect(items.map(({ metadata }) => metadata['name'])).toEqual(['first', 'second'])
  })

  test('one applies a changed schema as soon as the other has stored it', async () => {
    const { words, theirs } = await declared({ a: text, b: text })
    await here.declare(modelSpec({ a: { ...text, maxLength: 1 } }, words))
    await expect(theirs.create({ metadata: { name: 'x' }, spec: { a: 'xx', b: 'x' } })).rejects.toMatchObject({
      errors: [
        { pointer: '/spec/b', rule: 'unknown' },
        { pointer: '/spec/a', rule: 'maxLength' },
      ],
    })
    await expect(theirs.update('second', { spec: { a: 'xx' } })).rejects.toMatchObject({
      errors: [{ pointer: '/spec/a', rule: 'maxLength' }],
    })
  })

  test('one fills an index as soon as the other has added it, and both can select by it', async () => {
    const { words, ours, theirs } = await declared()
    await theirs.update('second', { spec: { a: 'before' } })
    await here.declare(modelSpec({ a: text }, { ...words, indexes: [{ name: 'spec.a' }] }))
    await theirs.create({ metadata: { name: 'third' }, spec: { a: 'after' } })
    for (const verbs of [ours, theirs]) {
      await expect
        .poll(async () => names(await verbs.list('fieldSelector=spec.a&sort=spec.a').catch(() => [])), {
          timeout: 60_000,
        })
        .toEqual(['third', 'second'])
    }
  })

  test('one returns ModelNotFound after the other has deleted the model', async () => {
    const { words, ours, theirs } = await declared()
    await ours.removeAll('all=true')
    await here.models.remove(modelObjectName({ group: testGroup, plural: words.plural }))
    await expect(theirs.create({ metadata: { name: 'x' } })).rejects.toMatchObject({ reason: 'ModelNotFound' })
    await expect(theirs.list()).rejects.toMatchObject({ reason: 'ModelNotFound' })
    await here.declare(modelSpec({ b: text }, words))
    expect(await theirs.create({ metadata: { name: 'x' }, spec: { b: 'x' } })).toMatchObject({ status: 201 })
  })

  test('creating objects while the model is deleted leaves no object behind', async () => {
    const { words, ours, theirs } = await declared()
    const create = async (verbs: typeof ours, name: string) => {
      for (let at = 0; at < 10; at++) await verbs.create({ metadata: { name: `${name}${at}` } })
    }
    const remove = async () => {
      await ours.removeAll('all=true')
      await here.models.remove(modelObjectName({ group: testGroup, plural: words.plural }))
    }
    const outcomes = await Promise.allSettled([create(ours, 'a'), create(theirs, 'b'), remove()])
    const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as { reason: string }] : []))
    expect(reasons.every(({ reason }) => reason === 'ModelNotFound' || reason === 'InUse')).toBe(true)
    const served = await theirs.list().then(
      () => true,
      (error: unknown) => (error as { reason: string }).reason,
    )
    expect(served).toBe(outcomes[2].status === 'rejected' ? true : 'ModelNotFound')
  })

  test('if both define the same kind, one is rejected', async () => {
    const words = { kind: 'Racer', singular: 'racer' }
    const race = await Promise.allSettled([
      here.declare(modelSpec({}, { ...words, plural: 'racersa' })),
      there.declare(modelSpec({}, { ...words, plural: 'racersb' })),
    ])
    expect(race.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('one that only follows sees created, changed and deleted definitions', async () => {
    const { store, definitions, registry } = there
    const log = createLog({ level: 'debug', pretty: false, write: () => {} })
    const { words, ours } = await declared()
    await using following = createDefinitionFollower({ store, definitions, registry, log })
    following.start()
    await sleep(200)
    const seen = () => {
      const model = registry.all().find(({ plural }) => plural === words.plural)
      return model?.indexes.map(({ name }) => name)
    }
    await here.declare(modelSpec({ a: text }, { ...words, indexes: [{ name: 'spec.a' }] }))
    await expect.poll(seen).toEqual(['spec.a'])
    await ours.removeAll('all=true')
    await here.models.remove(modelObjectName({ group: testGroup, plural: words.plural }))
    await expect.poll(seen).toBeUndefined()
  })
})

function names(answer: { readonly body?: { readonly items: readonly { readonly metadata: object }[] } } | []): unknown {
  return 'body' in answer ? answer.body?.items.map(({ metadata }) => (metadata as { name: string }).name) : []
}

test('a model is not found by another version, group or plural', async () => {
  await using replica = await sqliteReplica()
  await replica.declare(modelSpec({}))
  const found = { group: testGroup, version: 'v1', plural: 'things' }
  expect((await replica.registry.find(found)).kind).toBe('Thing')
  for (const other of [
    { version: 'v2' },
    { group: 'x.example' },
    { plural: 'thing' },
    { group: '', plural: 'things' },
  ]) {
    await expect(replica.registry.find({ ...found, ...other })).rejects.toMatchObject({ reason: 'ModelNotFound' })
  }
})

test('models are sorted by group and plural, including those of the host', async () => {
  await using replica = await sqliteReplica()
  const words = (name: string) => ({ plural: `${name}s`, singular: name, kind: name.toUpperCase() })
  await replica.declare(modelSpec({}, { ...words('b'), group: 'z.example' }))
  await replica.declare(modelSpec({}, { ...words('b'), group: 'a.example' }))
  await replica.declare(modelSpec({}, { ...words('a'), group: 'z.example' }))
  expect(replica.registry.all().map(({ group, plural }) => `${group}/${plural}`)).toEqual([
    'a.example/bs',
    'plugin.platform.run/models',
    'z.example/as',
    'z.example/bs',
  ])
})

test('reloading keeps all existing definitions and drops deleted ones', async () => {
  // No object is written, so no schema has to be compiled.
  const compiler = { compile: async () => '', check: async () => [], [Symbol.asyncDispose]: async () => {} }
  await using replica = await sqliteReplica({ compiler })
  const many = 201
  for (let at = 0; at < many; at++) {
    await replica.declare(modelSpec({}, { plural: `many${at}`, singular: `one${at}`, kind: `Many${at}` }))
  }
  await using other = await openReplica(replica.store)
  expect(other.registry.all()).toHaveLength(many + 1)
  await replica.models.remove(modelObjectName({ group: testGroup, plural: 'many7' }))
  await other.registry.load()
  expect(other.registry.all()).toHaveLength(many)
})

test('a definition that cannot take effect does not affect the others', async () => {
  let now = 9_000
  await using replica = await sqliteReplica({ clock: { now: () => now } })
  await replica.declare(modelSpec({}))
  await replica.models.remove(modelObjectName({ group: testGroup, plural: 'things' }))
  // The store has a later edition than a clock that went back.
  now = 1_000
  expect(await replica.declare(modelSpec({}))).toMatchObject({ status: 201 })
  expect((await replica.models.list()).body.items).toHaveLength(1)
})

test('the cache reports a deleted definition as a difference, and repair removes it', async () => {
  await using replica = await sqliteReplica()
  const { store, registry, definitions } = replica
  await replica.declare(modelSpec({ city: { type: 'string' } }))
  expect(await registry.cache.differences()).toEqual(new Set())
  const [stored] = (await store.list(definitions, { limit: 1 })).items
  await store.write([{ type: 'delete', model: definitions, name: stored?.name ?? '' }])
  expect(await registry.cache.differences()).toEqual(new Set([`${testGroup}/things`]))
  await registry.cache.repair()
  expect(registry.all().map(({ plural }) => plural)).toEqual(['models'])
  expect(await registry.cache.differences()).toEqual(new Set())
})
