import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import { WriteConflict } from '../../store/write-conflict.ts'
import { modelSpec, sqliteReplica, testGroup, type Replica } from '../contract/replica.ts'
import { createObject } from './create.ts'

let replica: Replica
beforeAll(async () => {
  replica = await sqliteReplica()
  const indexes = [{ name: 'spec.code', unique: true }]
  await replica.declare(modelSpec({ code: { type: 'string', default: 'none' } }, { indexes, specRequired: true }))
})
afterAll(() => replica[Symbol.asyncDispose]())

test('the response has Location and ETag', async () => {
  const { status, headers, body } = await replica
    .of('things')
    .create({ metadata: { name: 'milk' }, spec: { code: 'a' } })
  expect(status).toBe(201)
  expect(headers).toEqual({
    location: '/apis/test.example.com/v1/things/milk',
    etag: `"${String(body.metadata['uid'])}.0"`,
  })
  expect(body).toMatchObject({
    apiVersion: 'test.example.com/v1',
    kind: 'Thing',
    metadata: { version: 0, generation: 1 },
  })
})

test('server-owned fields from the client are ignored, and defaults are filled in', async () => {
  const owned = { uid: 'x', version: 9, generation: 9, creationTimestamp: 'x', deletionTimestamp: 'x' }
  const { body } = await replica.of('things').create({ metadata: { name: 'owned', ...owned }, spec: {} })
  expect(body).toMatchObject({ metadata: { version: 0, generation: 1 }, spec: { code: 'none' } })
  expect(body.metadata['uid']).toMatch(/^[0-9a-f-]{36}$/)
  expect(body.metadata).not.toHaveProperty('deletionTimestamp')
})

describe('generateName', () => {
  /** Reports the first names as duplicates, so many times. */
  function clashing(times: number): Store & { readonly names: string[] } {
    const names: string[] = []
    return {
      ...replica.store,
      names,
      write: async (operations, options) => {
        const [operation] = operations
        names.push(String(operation?.name))
        if (operation && names.length <= times) throw new WriteConflict('exists', operation)
        return replica.store.write(operations, options)
      },
    }
  }
  const create = (store: Store, metadata: object) =>
    replica.registry.using({ group: testGroup, version: 'v1', plural: 'things' }, (model) =>
      createObject({ store, clock: systemClock }, model, {
        body: { metadata, spec: { code: JSON.stringify(metadata) } },
      }),
    )

  test('appends eight letters or digits, and retries a duplicate', async () => {
    const store = clashing(4)
    expect((await create(store, { generateName: 'made-' })).name).toBe(store.names.at(-1))
    expect(new Set(store.names).size).toBe(5)
    for (const name of store.names) expect(name).toMatch(/^made-[a-z0-9]{8}$/)
  })

  test('tries at most five names', async () => {
    const store = clashing(5)
    await expect(create(store, { generateName: 'never-' })).rejects.toMatchObject({ reason: 'AlreadyExists' })
    expect(store.names).toHaveLength(5)
  })

  test('is ignored if there is a name', async () => {
    const store = clashing(1)
    const metadata = { name: 'mine', generateName: 'made-' }
    await expect(create(store, metadata)).rejects.toMatchObject({ reason: 'AlreadyExists' })
    expect(store.names).toEqual(['mine'])
  })
})

describe('rejects', () => {
  const cases: readonly (readonly [what: string, body: unknown, reason: string])[] = [
    ['a list', [], 'BadRequest'],
    ['null', null, 'BadRequest'],
    ['a string', 'x', 'BadRequest'],
    ['another kind', { kind: 'Other' }, 'TypeMismatch'],
    ['no name', { spec: { code: 'c' } }, 'Invalid'],
    ['no spec, where one is required', { metadata: { name: 'x' } }, 'Invalid'],
    ['metadata that is null', { metadata: null, spec: {} }, 'Invalid'],
    ['an unknown field', { metadata: { name: 'x' }, spec: {}, data: 1 }, 'Invalid'],
    ['a value that cannot be indexed', { metadata: { name: 'x' }, spec: { code: 'x'.repeat(513) } }, 'Invalid'],
    ['a duplicate name', { metadata: { name: 'milk' }, spec: { code: 'd' } }, 'AlreadyExists'],
    ['a duplicate unique value', { metadata: { name: 'x' }, spec: { code: 'a' } }, 'DuplicateIndexValue'],
  ]
  for (const [what, body, reason] of cases) {
    test(what, async () => {
      await replica
        .of('things')
        .create({ metadata: { name: 'milk' }, spec: { code: 'a' } })
        .catch(() => {})
      await expect(replica.of('things').create(body)).rejects.toMatchObject({ reason })
    })
  }
})
