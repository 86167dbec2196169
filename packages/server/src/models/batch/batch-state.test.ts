import { describe, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { allObjects } from '../../store/all-objects.ts'
import { create, mustGet, openFixture, people, places, update, type StoreEngine } from '../../store/contract/fixture.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import type { DeleteOperation, StoredObject, WriteOperation } from '../../store/store.ts'
import { createBatchState } from './batch-state.ts'

const engine: StoreEngine = {
  name: 'SQLite',
  shared: false,
  makeFixture: async () => {
    const store = openSqliteStore(':memory:')
    return { store, reopen: async () => store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  },
}

/** The data of objects of models: the rest of a JSON object. */
const plain = '}}'
const held = '"finalizers":["a.example/b"]}}'

const removing = ({ name, uid, version }: StoredObject): DeleteOperation => {
  return { type: 'delete', model: people, name, expected: { uid, version } }
}

async function opened() {
  const fixture = await openFixture(engine)
  const { store } = fixture
  await store.write([
    create({ name: 'a', text: plain, city: 'x' }),
    create({ name: 'b', text: plain, city: 'x' }),
    create({ name: 'c', text: held, held: true, city: 'y' }),
  ])
  const state = createBatchState(store, systemClock)
  const names = async (city: string) => {
    const found: string[] = []
    for await (const { name } of allObjects(state.store, people, [{ field: 'city', is: { op: '=', value: city } }])) {
      found.push(name)
    }
    return found.toSorted()
  }
  return { fixture, store, state, names }
}

describe('reading what earlier operations leave', () => {
  test('created, changed and deleted objects are read and selected as they will be', async () => {
    const { fixture, store, state, names } = await opened()
    await using _ = fixture
    const [a, b, c] = [await mustGet(store, 'a'), await mustGet(store, 'b'), await mustGet(store, 'c')]
    await state.add(update(a, { text: `${plain} `, city: 'y' }), a)
    await state.add(removing(b), b)
    await state.add(removing(c), c)
    await state.add(create({ name: 'd', text: plain, city: 'x' }), undefined)
    expect([await names('x'), await names('y')]).toEqual([['d'], ['a', 'c']])
    const { store: seen } = state
    expect(await seen.get(people, 'a')).toMatchObject({ uid: a.uid, version: 1 })
    expect(await seen.get(people, 'b')).toBeUndefined()
    expect(await seen.get(people, 'c')).toMatchObject({ version: 1, deletedAt: expect.any(Number) as number })
    expect(await seen.get(people, 'd')).toMatchObject({ version: 0 })
    expect(await seen.get(places, 'd')).toBeUndefined()
    expect(await store.get(people, 'd')).toBeUndefined()
  })

  test('an object whose indexed values are kept stays selected with its new data', async () => {
    const { fixture, store, state } = await opened()
    await using _ = fixture
    const a = await mustGet(store, 'a')
    const { content, ...operation } = update(a, { text: `${plain} ` })
    await state.add({ ...operation, content: { ...content, indexed: 'kept' } }, a)
    const { items } = await state.store.list(people, {
      where: [{ field: 'city', is: { op: '=', value: 'x' } }],
      limit: 9,
    })
    expect(items.map(({ name, version }) => `${name} ${version}`).toSorted()).toEqual(['a 1', 'b 0'])
  })

  test('the predicted state equals the stored state', async () => {
    const { fixture, store, state } = await opened()
    await using _ = fixture
    const [a, b, c] = [await mustGet(store, 'a'), await mustGet(store, 'b'), await mustGet(store, 'c')]
    await state.add({ ...update(a, { text: `${plain} ` }), newGeneration: true }, a)
    await state.add(update(b, { text: plain }), b)
    await state.add(removing(c), c)
    const seen = await Promise.all(['a', 'b', 'c'].map((name) => state.store.get(people, name)))
    await store.write(state.operations(), { inOrder: true })
    for (const object of seen) {
      const now = await mustGet(store, object?.name ?? '')
      expect(object).toEqual({
        ...now,
        ...(now.deletedAt !== undefined && { deletedAt: expect.any(Number) as number }),
      })
    }
  })
})

describe('several operations on one object', () => {
  const cases: readonly (readonly [
    what: string,
    first: (a: StoredObject) => WriteOperation,
    second: (seen: StoredObject) => WriteOperation,
    left: string | undefined,
  ])[] = [
    ['two updates', (a) => update(a, { text: 'one' }), (seen) => update(seen, { text: 'two' }), 'two'],
    ['an update and a deletion', (a) => update(a, { text: plain, city: 'z' }), removing, undefined],
  ]
  for (const [what, first, second, left] of cases) {
    test(`${what} are one`, async () => {
      const { fixture, store, state } = await opened()
      await using _ = fixture
      const a = await mustGet(store, 'a')
      await state.add(first(a), a)
      const seen = await state.store.get(people, 'a')
      if (!seen) throw new Error('the object is missing')
      await state.add(create('other'), undefined, { operations: [second(seen)] })
      expect(state.operations()).toHaveLength(2)
      await store.write(state.operations(), { inOrder: true })
      expect((await store.get(people, 'a'))?.data.toString()).toBe(left)
    })
  }

  test('a create and an update are one create', async () => {
    const { fixture, store, state } = await opened()
    await using _ = fixture
    await state.add(create({ name: 'n', text: plain, city: 'x' }), undefined)
    const seen = await state.store.get(people, 'n')
    if (!seen) throw new Error('the object is missing')
    await state.add(update(seen, { text: 'later', city: 'y' }), seen)
    expect(await store.write(state.operations(), { inOrder: true })).toMatchObject([{ outcome: 'created' }])
    expect((await mustGet(store, 'n')).data.toString()).toBe('later')
  })

  test('a deletion of what the batch creates, and anything after a deletion, is refused', async () => {
    const { fixture, store, state } = await opened()
    await using _ = fixture
    await state.add(create({ name: 'n', text: plain }), undefined)
    await expect(state.add({ type: 'delete', model: people, name: 'n' }, undefined)).rejects.toMatchObject({
      reason: 'Invalid',
    })
    const a = await mustGet(store, 'a')
    await state.add(removing(a), a)
    await expect(state.add(create('a'), undefined)).rejects.toMatchObject({ reason: 'Invalid' })
  })
})

describe('required objects', () => {
  const there = (name: string, expected?: { version: number }) => {
    return { is: 'there' as const, model: people, name, ...(expected && { expected }) }
  }

  test('are left to the transaction unless an earlier operation writes them', async () => {
    const { fixture, store, state } = await opened()
    await using _ = fixture
    const a = await mustGet(store, 'a')
    await state.add(update(a, { text: 'one' }), a)
    await state.add(create('new'), undefined)
    const guards = [there('a', { version: 1 }), there('new'), there('b', { version: 0 })]
    await state.add(create('n'), undefined, { guards })
    expect(state.guards).toEqual([there('b', { version: 0 })])
  })

  test('that an earlier operation removes or changes fail', async () => {
    const { fixture, store, state } = await opened()
    await using _ = fixture
    const [a, b] = [await mustGet(store, 'a'), await mustGet(store, 'b')]
    await state.add(removing(a), a)
    await state.add(update(b, { text: 'one' }), b)
    for (const guard of [there('a'), there('b', { version: 0 })]) {
      await expect(state.add(create('n'), undefined, { guards: [guard] })).rejects.toMatchObject({ guard })
    }
  })
})
