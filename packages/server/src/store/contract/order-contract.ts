import { describe, expect, test } from 'vitest'
import type { WriteOperation } from '../store.ts'
import {
  allNames,
  create,
  drain,
  mustGet,
  openFixture,
  people,
  places,
  update,
  type Person,
  type StoreEngine,
} from './fixture.ts'

const remove = (name: string): WriteOperation => ({ type: 'delete', model: people, name })

/** Names are chosen so that the order by name is the opposite of the given order. */
export function orderContract(engine: StoreEngine): void {
  describe(`${engine.name}, writes in order:`, () => {
    const values: readonly (readonly [what: string, value: Omit<Person, 'name'>])[] = [
      ['a value', { email: 'e' }],
      ['a value of a set', { badges: ['1', '2'] }],
    ]
    for (const [what, value] of values) {
      test(`a create uses ${what} that an earlier deletion releases`, async () => {
        await using fixture = await openFixture(engine)
        const { store } = fixture
        await store.write([create({ name: 'z', ...value })])
        const results = await store.write([remove('z'), create({ name: 'a', ...value })], { inOrder: true })
        expect(results.map(({ outcome }) => outcome)).toEqual(['removed', 'created'])
        expect(await allNames(store)).toEqual(['a'])
      })

      test(`a create cannot use ${what} that a later deletion releases`, async () => {
        await using fixture = await openFixture(engine)
        const { store } = fixture
        await store.write([create({ name: 'a', ...value })])
        const written = store.write([create({ name: 'z', ...value }), remove('a')], { inOrder: true })
        await expect(written).rejects.toMatchObject({ kind: 'duplicate', operation: { name: 'z' } })
        expect(await allNames(store)).toEqual(['a'])
      })

      test(`an update uses ${what} that an earlier update releases`, async () => {
        await using fixture = await openFixture(engine)
        const { store } = fixture
        await store.write([create({ name: 'z', ...value }), create('a')])
        const [z, a] = [await mustGet(store, 'z'), await mustGet(store, 'a')]
        const [away, to] = [update(z, { text: 'away' }), update(a, { text: 'to', ...value })]
        await expect(store.write([to, away], { inOrder: true })).rejects.toMatchObject({
          kind: 'duplicate',
          operation: { name: 'a' },
        })
        expect(await store.write([away, to], { inOrder: true })).toMatchObject([
          { outcome: 'updated', object: { name: 'z' } },
          { outcome: 'updated', object: { name: 'a' } },
        ])
        await expect(store.write([create({ name: 'n', ...value })])).rejects.toMatchObject({
          duplicate: { holder: 'a' },
        })
      })
    }

    test('a chain of updates passes values on', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const names = ['p5', 'p4', 'p3', 'p2', 'p1']
      await store.write(names.map((name) => create({ name, email: name })))
      const stored = await Promise.all(names.map((name) => mustGet(store, name)))
      const chain = stored.map((person, at) => update(person, { text: 'moved', email: names[at - 1] }))
      await store.write(chain, { inOrder: true })
      for (const [at, name] of names.slice(0, -1).entries()) {
        await expect(store.write([create({ name: 'n', email: name })])).rejects.toMatchObject({
          duplicate: { holder: names[at + 1] },
        })
      }
    })

    test('creates of several models, updates and deletions are listed and logged in the given order', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      const names = ['z', 'm', 'a', 't', 'b']
      await store.write(
        names.flatMap((name) => [create(name, places), create(name)]),
        { inOrder: true },
      )
      expect((await store.list(places, { limit: 9 })).items.map(({ name }) => name)).toEqual(names.toReversed())
      const stored = (await store.list(places, { limit: 9 })).items
      const changes = stored.map((place) => ({ ...update(place, { text: 'new' }), model: places }))
      await store.write(changes, { inOrder: true })
      await store.write(
        names.map((name) => ({ ...remove(name), model: places })),
        { inOrder: true },
      )
      const logged = (await drain(store, start, 20)).map(
        ({ op, model, object }) => `${op} ${model.plural} ${object.name}`,
      )
      expect(logged).toEqual([
        ...names.flatMap((name) => [`added places ${name}`, `added people ${name}`]),
        ...names.toReversed().map((name) => `modified places ${name}`),
        ...names.map((name) => `deleted places ${name}`),
      ])
    })

    test('of two creates with the same value the second is the conflict', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const both = [create({ name: 'z', email: 'e' }), create({ name: 'a', email: 'e' })]
      await expect(store.write(both, { inOrder: true })).rejects.toMatchObject({
        kind: 'duplicate',
        operation: { name: 'a' },
      })
      expect(await allNames(store)).toEqual([])
    })

    test('of two concurrent writes of the same objects in opposite orders exactly one succeeds', async () => {
      await using fixture = await openFixture(engine)
      const other = engine.shared ? await fixture.reopen() : fixture.store
      if (engine.shared) await other.openModel(people)
      const { store } = fixture
      await store.write([create('a'), create('b'), create('c')])
      for (let round = 0; round < 20; round++) {
        const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => mustGet(store, name)))
        if (!a || !b || !c) throw new Error('an object is missing')
        const changed = [a, b, c].map((stored) => update(stored, { text: `${round}` }))
        const outcomes = await Promise.allSettled([
          store.write(changed, { inOrder: true }),
          other.write(changed.toReversed(), { inOrder: true }),
        ])
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        const failed = outcomes.find((outcome) => outcome.status === 'rejected')
        expect(failed?.reason).toMatchObject({ kind: 'version' })
      }
    })
  })
}
