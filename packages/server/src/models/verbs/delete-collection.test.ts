import { createDatabase } from '@pergola/test-servers'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { allObjects } from '../../store/all-objects.ts'
import { openStore } from '../../store/open-store.ts'
import { countStatements } from '../../store/postgres/contract/count-statements.ts'
import type { Store } from '../../store/store.ts'
import { modelSpec, openReplica, sqliteReplica, testGroup, type Replica } from '../contract/replica.ts'
import { createOperation } from './create.ts'
import { deleteCollection } from './delete-collection.ts'

let replica: Replica
beforeEach(async () => {
  replica = await sqliteReplica()
  await replica.declare(modelSpec({ a: { type: 'string' } }, { indexes: [{ name: 'spec.a' }] }))
})
afterEach(() => replica[Symbol.asyncDispose]())

async function fill(count: number, metadata: object = {}): Promise<void> {
  for (let at = 0; at < count; at++) {
    await replica
      .of('things')
      .create({ metadata: { generateName: 'thing-', ...metadata }, spec: { a: String(at % 2) } })
  }
}

const left = async () => (await replica.of('things').list()).body.items.length

describe('deletes', () => {
  const cases: readonly (readonly [what: string, query: string, deleted: number])[] = [
    ['everything with all=true', 'all=true', 250],
    ['the objects that a field selects, in several batches', 'fieldSelector=spec.a=1', 125],
    ['nothing if nothing is selected', 'labelSelector=none', 0],
    ['only the selected objects, even with all=true', 'all=true&fieldSelector=spec.a=1', 125],
  ]
  for (const [what, query, deleted] of cases) {
    test(what, async () => {
      await fill(250)
      const { body } = await replica.of('things').removeAll(query)
      expect(body).toEqual({ deleted, pending: 0, refused: 0, remaining: false })
      expect(await left()).toBe(250 - deleted)
    })
  }
})

/** Counts the turns of the event loop meanwhile. */
async function turnsDuring(work: (turns: () => number) => Promise<unknown>): Promise<number> {
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await work(() => turns)
  clearInterval(timer)
  return turns
}

test('yields to the event loop while it deletes or reads many objects', async () => {
  await fill(1_000)
  const model = { group: testGroup, plural: 'things' }
  // A low bound for slow machines: code that does not yield has no turns at all.
  const all = async (turns: () => number) => {
    for (let rounds = 0; turns() < 3 && rounds < 200; rounds++) {
      for await (const { name } of allObjects(replica.store, model)) await replica.store.get(model, name)
    }
  }
  expect(await turnsDuring(all)).toBeGreaterThan(2)
  expect(await turnsDuring(() => replica.of('things').removeAll('all=true'))).toBeGreaterThan(0)
})

describe('rejects', () => {
  for (const query of [
    '',
    'all=false',
    'all=yes',
    'all=yes&fieldSelector=spec.a=1',
    'labelSelector=',
    'name=x',
    'page=1',
    'fieldSelector=none=1',
  ]) {
    test(`"${query}"`, async () => {
      await fill(1)
      await expect(replica.of('things').removeAll(query)).rejects.toMatchObject({
        reason: expect.stringMatching(/BadRequest|FieldNotIndexed|InvalidSelector/) as string,
      })
      expect(await left()).toBe(1)
    })
  }
})

test('objects with finalizers are pending until they are removed', async () => {
  await fill(2)
  await fill(3, { finalizers: [`${testGroup}/hold`] })
  const things = replica.of('things')
  expect((await things.removeAll('all=true')).body).toEqual({ deleted: 2, pending: 3, refused: 0, remaining: false })
  expect((await things.removeAll('all=true')).body).toEqual({ deleted: 0, pending: 3, refused: 0, remaining: false })
  expect(await left()).toBe(3)
})

test('a dry run returns the counts without deleting', async () => {
  await fill(120)
  await fill(1, { finalizers: [`${testGroup}/hold`] })
  const { body } = await replica.of('things').removeAll('all=true', { dryRun: true })
  expect(body).toEqual({ deleted: 120, pending: 1, refused: 0, remaining: false })
  expect(await left()).toBe(121)
})

test('at the deadline the response says that objects remain, and a retry continues', async () => {
  await fill(3)
  const things = replica.of('things')
  const deadlineMs = -1
  expect((await things.removeAll('all=true', { deadlineMs })).body).toEqual({
    deleted: 0,
    pending: 0,
    refused: 0,
    remaining: true,
  })
  expect(await left()).toBe(3)
  expect((await things.removeAll('all=true')).body).toEqual({ deleted: 3, pending: 0, refused: 0, remaining: false })
})

test('an object that changes or disappears before it is deleted is skipped', async () => {
  const things = replica.of('things')
  for (const name of ['changed', 'gone', 'still']) await things.create({ metadata: { name }, spec: { a: 'x' } })
  let raced = false
  const store: Store = {
    ...replica.store,
    list: async (...asked) => {
      const page = await replica.store.list(...asked)
      if (!raced) {
        raced = true
        await things.update('changed', { spec: { a: 'y' } })
        await things.remove('gone')
      }
      return page
    },
  }
  const counts = await replica.registry.using({ group: testGroup, version: 'v1', plural: 'things' }, (model) =>
    deleteCollection({ store, clock: systemClock }, model, { query: new URLSearchParams('fieldSelector=spec.a=x') }),
  )
  expect(counts).toEqual({ deleted: 1, pending: 0, refused: 0, remaining: false })
  expect((await things.list()).body.items).toMatchObject([{ metadata: { name: 'changed' }, spec: { a: 'y' } }])
})

test('10,000 objects take at most 100 statements', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  await using store = await openStore({ url: database.url, onConnectionLost: () => {} })
  await using postgres = await openReplica(store)
  await postgres.declare(modelSpec({ a: { type: 'string' } }, { indexes: [{ name: 'spec.a' }] }))
  await postgres.registry.using({ group: testGroup, version: 'v1', plural: 'things' }, async (model) => {
    const object = (at: number) => ({
      metadata: { name: `thing-${at}`, labels: { part: 'x' } },
      spec: { a: String(at) },
    })
    for (let from = 0; from < 10_000; from += 500) {
      const objects = Array.from({ length: 500 }, (_, at) => object(from + at))
      await store.write(await Promise.all(objects.map((one) => createOperation({ clock: systemClock }, model, one))))
    }
  })
  using statements = countStatements({ andPasses: true })
  const { body } = await postgres.of('things').removeAll('all=true', { deadlineMs: 3_600_000 })
  expect(body).toEqual({ deleted: 10_000, pending: 0, refused: 0, remaining: false })
  // The sequencer also sends statements.
  const onObjects = statements.texts.filter((text) => /\bm_\d+\b/.test(text))
  expect(onObjects.length).toBeLessThanOrEqual(100)
  expect(onObjects.length).toBeGreaterThan(1)
})

test('when the client disconnects, the remaining objects stay', async () => {
  await fill(3)
  const model = { group: testGroup, version: 'v1', plural: 'things' }
  const gone = AbortSignal.abort()
  const counts = await replica.registry.using(model, (things) =>
    deleteCollection({ store: replica.store, clock: systemClock }, things, {
      query: new URLSearchParams('all=true'),
      signal: gone,
    }),
  )
  expect(counts).toEqual({ deleted: 0, pending: 0, refused: 0, remaining: true })
  expect(await left()).toBe(3)
})
