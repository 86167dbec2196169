import { describe, expect, test } from 'vitest'
import { modelSpec, sqliteReplica, testGroup, type Replica, type Served } from '../contract/replica.ts'
import { modelObjectName } from './model-object-name.ts'

const text = { type: 'string' }
const spec = modelSpec({ a: text })
const name = modelObjectName({ group: testGroup, plural: 'things' })

test('a definition is named after its model, and has an edition', async () => {
  await using replica = await sqliteReplica({ clock: { now: () => 7_000 } })
  const { status, body } = await replica.declare(spec)
  expect({ status, name: body.metadata['name'], state: body.status }).toEqual({
    status: 201,
    name,
    state: { edition: 7_000, phase: 'Ready' },
  })
})

test('a changed spec gets a new edition, which increases even if the clock goes back', async () => {
  let now = 7_000
  await using replica = await sqliteReplica({ clock: { now: () => now } })
  const edition = async (declared: object, metadata: object = {}) =>
    (await replica.models.update(name, { metadata, spec: declared })).body.status?.['edition']
  await replica.declare(spec)
  now = 6_000
  expect(await edition(spec, { labels: { a: 'b' } })).toBe(7_000)
  expect(await edition({ ...spec, indexes: [{ name: 'spec.a' }] })).toBe(7_001)
  now = 9_000
  expect(await edition({ ...spec, indexes: [{ name: 'spec.a' }] })).toBe(7_001)
  expect(await edition(spec)).toBe(9_000)
})

test('only the host writes the status', async () => {
  await using replica = await sqliteReplica({ clock: { now: () => 7_000 } })
  const status = { edition: 1, phase: 'DuplicateValues' }
  const created = await replica.models.create({ spec, status })
  expect(created.body.status).toEqual({ edition: 7_000, phase: 'Ready' })
  const updated = await replica.models.update(name, { metadata: { labels: { a: 'b' } }, spec, status })
  expect(updated.body.status).toEqual({ edition: 7_000, phase: 'Ready' })
})

describe('rejects', () => {
  const other = modelObjectName({ group: testGroup, plural: 'others' })
  const cases: readonly (readonly [what: string, body: unknown, pointer: string, message: string])[] = [
    [
      'a name that does not follow from group and plural',
      { metadata: { name: 'mine' }, spec },
      '/metadata/name',
      `must be "${name}"`,
    ],
    [
      'a duplicate kind in the group',
      { spec: { ...spec, plural: 'others', singular: 'other' } },
      '/spec',
      `taken by ${name}`,
    ],
    [
      'a duplicate singular in the group',
      { spec: { ...spec, plural: 'others', kind: 'Other' } },
      '/spec',
      `taken by ${name}`,
    ],
    [
      'a singular that is a plural in the group',
      { spec: { ...spec, plural: 'others', kind: 'Other', singular: 'things' } },
      '/spec',
      `taken by ${name}`,
    ],
    [
      'a plural that is a singular in the group',
      { spec: { ...spec, plural: 'thing', kind: 'Other', singular: 'other' } },
      '/spec',
      `taken by ${name}`,
    ],
    ['a spec that is no object', { spec: 'x' }, '/spec', 'must be of type object'],
    ['no spec', {}, '/spec', 'is required'],
    ['metadata that is no object', { metadata: 'x', spec: { ...spec, plural: 'others' } }, '/metadata', 'object'],
    [
      'an invalid schema',
      {
        spec: {
          ...spec,
          kind: 'Other',
          singular: 'other',
          plural: 'others',
          versions: [{ name: 'v1', schema: { properties: { spec: { type: 'text' } } } }],
        },
      },
      '/spec/versions/0/schema/properties/spec/type',
      'must be one of array, boolean, integer',
    ],
  ]
  for (const [what, body, pointer, message] of cases) {
    test(what, async () => {
      await using replica = await sqliteReplica()
      await replica.declare(spec)
      await expect(replica.models.create(body)).rejects.toMatchObject({
        reason: 'Invalid',
        errors: expect.arrayContaining([
          expect.objectContaining({ pointer, message: expect.stringContaining(message) as string }),
        ]) as unknown,
      })
      expect(await replica.store.get(replica.definitions, other)).toBeUndefined()
    })
  }
})

test('the same names are allowed in another group', async () => {
  await using replica = await sqliteReplica()
  await replica.declare(spec)
  expect(await replica.declare({ ...spec, group: 'other.example.com' })).toMatchObject({ status: 201 })
})

describe('a definition cannot change', () => {
  const cases: readonly (readonly [what: string, change: object, pointer: string])[] = [
    ['its kind', { kind: 'Other' }, '/spec/kind'],
    ['its singular', { singular: 'other' }, '/spec/singular'],
    ['its version', { versions: [{ ...spec.versions[0], name: 'v2' }] }, '/spec/versions/0/name'],
    ['its plural', { plural: 'others' }, '/spec/plural'],
    ['its group', { group: 'other.example.com' }, '/spec/group'],
  ]
  for (const [what, change, pointer] of cases) {
    test(what, async () => {
      await using replica = await sqliteReplica()
      await replica.declare(spec)
      await expect(replica.models.update(name, { spec: { ...spec, ...change } })).rejects.toMatchObject({
        reason: 'Invalid',
        errors: [{ pointer }],
      })
    })
  }
})

test('a model can be deleted once it has no objects, and defined again', async () => {
  await using replica = await sqliteReplica()
  const things = replica.of('things')
  await replica.declare(spec)
  for (const one of ['a', 'b']) await things.create({ metadata: { name: one } })
  await expect(replica.models.remove(name)).rejects.toMatchObject({
    reason: 'InUse',
    message: 'there are 2 things; delete them before their model',
  })
  await things.create({ metadata: { name: 'c' } })
  await things.removeAll('all=true')
  expect((await replica.models.remove(name)).status).toBe(200)
  await expect(things.list()).rejects.toMatchObject({ reason: 'ModelNotFound' })
  await expect(things.create({})).rejects.toMatchObject({ reason: 'ModelNotFound' })
  await replica.declare(modelSpec({ b: { type: 'integer' } }, { kind: 'Other', indexes: [{ name: 'spec.b' }] }))
  await things.create({ metadata: { name: 'a' }, spec: { b: 3 } })
  expect((await things.list('fieldSelector=spec.b=3')).body.items).toMatchObject([{ kind: 'Other', spec: { b: 3 } }])
})

describe('dry run', () => {
  test('a definition is validated and not registered', async () => {
    await using replica = await sqliteReplica()
    expect(await replica.models.create({ spec }, { dryRun: true })).toMatchObject({ status: 201 })
    await expect(replica.of('things').list()).rejects.toMatchObject({ reason: 'ModelNotFound' })
  })

  for (const [what, remove] of [
    ['alone', (models) => models.remove(name, { dryRun: true })],
    ['with all', (models) => models.removeAll('all=true', { dryRun: true })],
  ] as const satisfies readonly (readonly [string, (models: Replica['models']) => Promise<Served>])[]) {
    test(`deleting a model ${what} keeps it served`, async () => {
      await using replica = await sqliteReplica()
      const things = replica.of('things')
      await replica.declare(spec)
      expect((await remove(replica.models)).status).toBe(200)
      await things.create({ metadata: { name: 'a' } })
      await expect(remove(replica.models)).rejects.toMatchObject({ reason: 'InUse' })
      expect((await things.list()).body.items).toHaveLength(1)
    })
  }
})
