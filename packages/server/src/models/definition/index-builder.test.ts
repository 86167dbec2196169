import { expect, inject, test } from 'vitest'
import { postgresFixture } from '../../store/contract/postgres-fixture.ts'
import type { Store } from '../../store/store.ts'
import { modelSpec, openReplica, sqliteReplica, testGroup, type Replica } from '../contract/replica.ts'
import { modelObjectName } from './model-object-name.ts'

const text = { type: 'string' }
const name = modelObjectName({ group: testGroup, plural: 'things' })
const statusOf = async ({ models }: Replica) => (await models.get(name)).body.status

test('a new index is built from existing objects, and the status becomes Ready', async () => {
  await using replica = await sqliteReplica()
  await replica.declare(modelSpec({ a: text }))
  const things = replica.of('things')
  for (const a of ['x', 'y', 'y']) await things.create({ metadata: { generateName: 'thing-' }, spec: { a } })
  const { body } = await replica.declare(modelSpec({ a: text }, { indexes: [{ name: 'spec.a' }] }))
  expect(body.status).toMatchObject({ phase: 'Building' })
  const edition = body.status?.['edition']
  await expect.poll(() => statusOf(replica)).toEqual({ edition, phase: 'Ready' })
  expect((await things.list('fieldSelector=spec.a=y')).body.items).toHaveLength(2)
})

test('a unique index with duplicates reports them, and is built once they are removed', async () => {
  await using replica = await sqliteReplica()
  await replica.declare(modelSpec({ a: text }))
  const things = replica.of('things')
  for (const one of ['first', 'second']) await things.create({ metadata: { name: one }, spec: { a: 'same' } })
  const indexes = [{ name: 'spec.a', unique: true }]
  await replica.declare(modelSpec({ a: text }, { indexes }))
  await expect
    .poll(() => statusOf(replica))
    .toMatchObject({
      phase: 'DuplicateValues',
      duplicates: { index: 'spec.a', pairs: [{ value: 'same', first: 'first', second: 'second' }] },
    })
  await expect(things.list('fieldSelector=spec.a=same')).rejects.toMatchObject({ reason: 'IndexBuilding' })
  await things.update('second', { spec: { a: 'other' } })
  await replica.declare(modelSpec({ a: text, b: text }, { indexes }))
  await expect.poll(() => statusOf(replica)).toMatchObject({ phase: 'Ready' })
  await expect(things.create({ metadata: { name: 'third' }, spec: { a: 'same' } })).rejects.toMatchObject({
    reason: 'DuplicateIndexValue',
  })
})

test('duplicates are reported as values, not as index keys', async () => {
  await using replica = await sqliteReplica()
  const fields = { n: { type: 'number' } }
  await replica.declare(modelSpec(fields))
  for (const one of ['first', 'second']) {
    await replica.of('things').create({ metadata: { name: one }, spec: { n: 2.5 } })
  }
  await replica.declare(modelSpec(fields, { indexes: [{ name: 'spec.n', unique: true }] }))
  const pairs = [{ value: '2.5', first: 'first', second: 'second' }]
  await expect.poll(() => statusOf(replica)).toMatchObject({ duplicates: { index: 'spec.n', pairs } })
})

test('while an index is built the status has its progress, and lists by it are rejected', async () => {
  await using fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>()
  /** Blocks in the middle of the first build. */
  const store: Store = {
    ...fixture.store,
    buildIndexes: (model, options) =>
      fixture.store.buildIndexes(model, {
        ...options,
        evaluate: async (objects) => {
          await gate
          return options.evaluate(objects)
        },
      }),
  }
  await using replica = await openReplica(store)
  await replica.declare(modelSpec({ a: text }))
  const things = replica.of('things')
  for (const a of ['x', 'y', 'z']) await things.create({ metadata: { name: a }, spec: { a } })
  await replica.declare(modelSpec({ a: text }, { indexes: [{ name: 'spec.a' }] }))
  await expect
    .poll(() => statusOf(replica))
    .toMatchObject({ phase: 'Building', build: { indexes: ['spec.a'], phase: 'filling', done: 0, total: 3 } })
  await expect(things.list('fieldSelector=spec.a=x')).rejects.toMatchObject({
    reason: 'IndexBuilding',
    headers: { 'retry-after': expect.any(String) as string },
  })
  await things.create({ metadata: { name: 'meanwhile' }, spec: { a: 'x' } })
  open(undefined)
  await expect.poll(() => statusOf(replica)).toMatchObject({ phase: 'Ready' })
  expect((await things.list('fieldSelector=spec.a=x&sort=metadata.name')).body.items).toHaveLength(2)
})

async function postgresReplica(): Promise<Replica> {
  const fixture = await postgresFixture(inject('postgres')['18'], (url) => ({ url }))
  const replica = await openReplica(fixture.store)
  return {
    ...replica,
    [Symbol.asyncDispose]: async () => {
      await replica[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    },
  }
}

for (const [engine, open] of [
  ['SQLite', sqliteReplica],
  ['PostgreSQL', postgresReplica],
] as const) {
  test(`after several definitions in quick succession the indexes of the last are built, on ${engine}`, async () => {
    await using replica = await open()
    await replica.declare(modelSpec({ a: text, b: text }))
    for (const a of ['x', 'y']) await replica.of('things').create({ metadata: { name: a }, spec: { a, b: a } })
    const declared = ['spec.a', 'spec.b', 'spec.a'].map((index) =>
      modelSpec({ a: text, b: text }, { indexes: [{ name: index }] }),
    )
    for (const spec of declared) await replica.declare(spec)
    await expect.poll(() => statusOf(replica)).toMatchObject({ phase: 'Ready' })
    expect((await replica.of('things').list('fieldSelector=spec.a=x')).body.items).toHaveLength(1)
    expect(replica.log).toEqual([])
  })
}

test('the end of a build is recorded even if the definition changes concurrently', async () => {
  await using fixture = await sqliteReplica()
  let changed = 0
  const store: Store = {
    ...fixture.store,
    write: async (operations, options) => {
      const [operation] = operations
      const isStatus = operation?.type === 'update' && !operation.newGeneration && operation.name === name
      if (isStatus && changed < 1 && /"phase":"Ready"/.test(operation.content.data.toString())) {
        await fixture.models.patch(name, { metadata: { labels: { changed: String(++changed) } } })
      }
      return fixture.store.write(operations, options)
    },
  }
  await using replica = await openReplica(store)
  await replica.declare(modelSpec({ a: text }))
  await replica.of('things').create({ metadata: { name: 'x' }, spec: { a: 'x' } })
  await replica.declare(modelSpec({ a: text }, { indexes: [{ name: 'spec.a' }] }))
  await expect
    .poll(() => replica.models.get(name))
    .toMatchObject({
      body: { metadata: { labels: { changed: '1' } }, status: { phase: 'Ready' } },
    })
})

test('a failed build is logged, an interrupted one is not', async () => {
  await using fixture = await sqliteReplica()
  let fails = true
  const store: Store = {
    ...fixture.store,
    buildIndexes: (_, { signal }) =>
      fails
        ? Promise.reject(new Error('no room left'))
        : new Promise((__, reject) => {
            signal?.addEventListener('abort', () => reject(new Error('stopped')))
          }),
  }
  const replica = await openReplica(store)
  await replica.declare(modelSpec({ a: text, b: text }))
  await replica.of('things').create({ metadata: { name: 'x' }, spec: { a: 'x' } })
  await replica.declare(modelSpec({ a: text, b: text }, { indexes: [{ name: 'spec.a' }] }))
  await expect.poll(() => replica.log.join('')).toMatch(/no room left.*indexes could not be built/)
  fails = false
  await replica.declare(modelSpec({ a: text, b: text }, { indexes: [{ name: 'spec.b' }] }))
  await replica[Symbol.asyncDispose]()
  expect(replica.log).toHaveLength(1)
})
