import { describe, expect, test } from 'vitest'
import { DuplicateValues } from '../index-build.ts'
import { StaleModel } from '../stale-model.ts'
import {
  nextIndexName,
  type BuildOptions,
  type IndexedValues,
  type ListQuery,
  type ModelDeclaration,
  type Store,
  type StoredObject,
  type Term,
} from '../store.ts'
import { create, mustGet, openFixture, people, update, type Person, type StoreEngine } from './fixture.ts'

/** Objects are JSON of a person, so that index values can be computed from them. */
const build: BuildOptions = { evaluate: async (objects) => objects.map(({ data }) => indexedOf(data)) }

function indexedOf(data: Buffer): IndexedValues {
  const { labels = {}, city, age, email, tags = [], badges = [], ...others } = JSON.parse(String(data)) as Person
  const { country, roles = [] } = others as { country?: string; roles?: string[] }
  return { labels, single: { city, age, email, country }, multi: { tags, badges, roles } }
}

type Citizen = Person & { readonly country?: string; readonly roles?: readonly string[] }

function born(citizen: Citizen, { edition = 0 } = {}) {
  const operation = create(citizen)
  const data = Buffer.from(JSON.stringify(citizen))
  return { ...operation, content: { ...operation.content, data, indexed: indexedOf(data), edition } }
}

function moved(stored: StoredObject, citizen: Omit<Citizen, 'name'>, { edition = 0 } = {}) {
  const operation = update(stored, {})
  const data = Buffer.from(JSON.stringify({ name: stored.name, ...citizen }))
  return { ...operation, content: { ...operation.content, data, indexed: indexedOf(data), edition } }
}

const byCountry: ModelDeclaration = { ...people, edition: 1, indexes: [...people.indexes, { name: 'country' }] }
const is = (field: string, value: string): Term => ({ field, is: { op: '=', value } })

async function names(store: Store, where: readonly Term[], query: Partial<ListQuery> = {}): Promise<string[]> {
  const { items } = await store.list(people, { limit: 100, where, ...query })
  return items.map(({ name }) => name).toSorted()
}

export function indexContract(engine: StoreEngine): void {
  describe(`${engine.name}, indexes of a live model:`, () => {
    test('an index is not filled with values of a previous declaration', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([born({ name: 'a', country: 'x' })])
      await store.openModel(byCountry)
      const former: BuildOptions = {
        edition: 0,
        evaluate: async (objects) => objects.map(() => ({ labels: {}, single: {}, multi: {} })),
      }
      await expect(store.buildIndexes(people, former)).rejects.toBeInstanceOf(StaleModel)
      expect(await store.indexBuild(people)).toMatchObject({ indexes: ['country'] })
      await store.buildIndexes(people, { ...build, edition: 1 })
      expect(await names(store, [is('country', 'x')])).toEqual(['a'])
    })

    test('lists cannot use a new index until it is built; then it contains every object', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([born({ name: 'a', country: 'x' }), born({ name: 'b', country: 'y' }), born({ name: 'c' })])
      await store.openModel(byCountry)
      const wanted = { limit: 9, where: [is('country', 'x')] }
      await expect(store.list(people, wanted)).rejects.toMatchObject({
        reason: 'IndexBuilding',
        message: expect.stringContaining('"country"') as string,
        headers: { 'retry-after': expect.any(String) as string },
      })
      const sort = [{ field: 'country', descending: false }]
      await expect(store.list(people, { limit: 9, sort })).rejects.toMatchObject({ reason: 'IndexBuilding' })
      expect(await store.indexBuild(people)).toMatchObject({ indexes: ['country'], phase: 'waiting' })
      expect(await names(store, [])).toEqual(['a', 'b', 'c'])
      await store.buildIndexes(people, build)
      expect(await store.indexBuild(people)).toBeUndefined()
      expect(await names(store, [is('country', 'x')])).toEqual(['a'])
      const sorted = await store.list(people, { limit: 9, sort })
      expect(sorted.items.map(({ name }) => name)).toEqual(['c', 'a', 'b'])
    })

    test('an index built ahead replaces the previous one when a declaration names it, and is ready at once', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const roles = { name: 'roles', multi: true }
      const former: ModelDeclaration = { ...byCountry, indexes: [...byCountry.indexes, roles] }
      await store.openModel(former)
      await store.write([born({ name: 'a', country: 'x', roles: ['r'] }, { edition: 1 })])
      const ahead = [
        { name: nextIndexName('country'), form: 'upper' },
        { ...roles, name: nextIndexName('roles'), form: 'upper' },
      ]
      await store.openModel({ ...former, edition: 2, indexes: [...former.indexes, ...ahead] })
      const upper = (data: Buffer): IndexedValues => {
        const { labels, single, multi } = indexedOf(data)
        const shout = (value = '') => value.toUpperCase()
        return {
          labels,
          single: { ...single, [nextIndexName('country')]: shout(single['country']) },
          multi: { ...multi, [nextIndexName('roles')]: (multi['roles'] ?? []).map(shout) },
        }
      }
      const born2 = born({ name: 'b', country: 'y', roles: ['r', 's'] }, { edition: 2 })
      await store.write([{ ...born2, content: { ...born2.content, indexed: upper(born2.content.data) } }])
      await store.buildIndexes(people, { evaluate: async (objects) => objects.map(({ data }) => upper(data)) })
      expect(await names(store, [is('country', 'x')])).toEqual(['a'])
      expect(await names(store, [is('roles', 'r')])).toEqual(['a', 'b'])
      await store.openModel({
        ...former,
        edition: 3,
        indexes: [...people.indexes, { name: 'country', form: 'upper' }, { ...roles, form: 'upper' }],
      })
      expect(await store.indexBuild(people)).toBeUndefined()
      expect(await names(store, [is('country', 'X')])).toEqual(['a'])
      expect(await names(store, [is('roles', 'R')])).toEqual(['a', 'b'])
      expect(await names(store, [is('roles', 'r')])).toEqual([])
      expect(await names(store, [is('country', 'y')])).toEqual([])
    })

    test('objects written during the build are indexed with their new values', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write(['a', 'b', 'c', 'd'].map((name) => born({ name, country: 'old', roles: ['old'] })))
      const declared = { ...byCountry, indexes: [...byCountry.indexes, { name: 'roles', multi: true }] }
      await store.openModel(declared)
      const evaluate: BuildOptions['evaluate'] = async (objects) => {
        // Between reading the objects and filling the index.
        const stored = await store.get(people, 'a')
        if (stored?.version === 0) {
          await store.write([moved(stored, { country: 'new', roles: ['new', 'more'] }, { edition: 1 })])
          await store.write([{ type: 'delete', model: people, name: 'b' }])
          const held = await mustGet(store, 'c')
          const hold = moved(held, { country: 'old', roles: ['old'] }, { edition: 1 })
          await store.write([{ ...hold, content: { ...hold.content, held: true } }])
          await store.write([{ type: 'delete', model: people, name: 'c' }])
          await store.write([born({ name: 'e', country: 'new', roles: ['new'] }, { edition: 1 })])
        }
        return build.evaluate(objects)
      }
      await store.buildIndexes(people, { evaluate })
      expect(await names(store, [is('country', 'new')])).toEqual(['a', 'e'])
      expect(await names(store, [is('country', 'old')])).toEqual(['c', 'd'])
      expect(await names(store, [is('roles', 'old')])).toEqual(['c', 'd'])
      expect(await names(store, [is('roles', 'new')])).toEqual(['a', 'e'])
      expect(await names(store, [is('roles', 'more')])).toEqual(['a'])
    })

    test('an object declared deleted before it was filled is still filled', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([born({ name: 'a', country: 'x', held: true })])
      await store.openModel(byCountry)
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      await store.buildIndexes(people, build)
      expect(await names(store, [is('country', 'x')])).toEqual(['a'])
    })

    test('an object whose update keeps its indexed values before it was filled is still filled', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([born({ name: 'a', country: 'x', roles: ['r'] })])
      await store.openModel({ ...byCountry, indexes: [...byCountry.indexes, { name: 'roles', multi: true }] })
      const stored = await mustGet(store, 'a')
      const { content, ...operation } = moved(stored, { country: 'x', roles: ['r'], age: '7' })
      await store.write([{ ...operation, content: { ...content, indexed: 'kept' } }])
      await store.buildIndexes(people, build)
      expect(await names(store, [is('country', 'x')])).toEqual(['a'])
      expect(await names(store, [is('roles', 'r')])).toEqual(['a'])
    })

    test('the build of an index of an empty model finishes at once', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.openModel(byCountry)
      await fixture.store.buildIndexes(people, build)
      await fixture.store.write([born({ name: 'a', country: 'x' }, { edition: 1 })])
      expect(await names(fixture.store, [is('country', 'x')])).toEqual(['a'])
    })

    test('an interrupted build is continued', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write(Array.from({ length: 700 }, (_, at) => born({ name: `n${at}`, country: `c${at % 7}` })))
      await store.openModel(byCountry)
      const evaluate = () => Promise.reject(new Error('broken off'))
      await expect(store.buildIndexes(people, { evaluate })).rejects.toThrow('broken off')
      await expect(store.buildIndexes(people, { ...build, signal: AbortSignal.abort() })).rejects.toThrow('abort')
      expect(await store.indexBuild(people)).toMatchObject({ indexes: ['country'] })
      await store[Symbol.asyncDispose]()
      await using again = await fixture.reopen()
      await again.openModel(byCountry)
      await again.buildIndexes(people, build)
      expect(await again.list(people, { limit: 1, where: [is('country', 'c3')] })).toMatchObject({
        total: { count: 100 },
      })
    })

    test('the progress of a build can be read', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([born({ name: 'a' }), born({ name: 'b' })])
      await store.openModel(byCountry)
      const seen: unknown[] = []
      const evaluate: BuildOptions['evaluate'] = async (objects) => {
        seen.push(await store.indexBuild(people))
        return build.evaluate(objects)
      }
      await store.buildIndexes(people, { evaluate })
      expect(seen[0]).toMatchObject({ indexes: ['country'], phase: 'filling', done: 0, total: 2 })
    })

    for (const multi of [false, true]) {
      test(`building a unique ${multi ? 'set' : 'index'} fails with the duplicates, and succeeds once they are removed`, async () => {
        await using fixture = await openFixture(engine)
        const { store } = fixture
        const holding = (value: string) => (multi ? { roles: [value, `${value} too`] } : { country: value })
        await store.write([born({ name: 'a', ...holding('x') }), born({ name: 'b', ...holding('y') })])
        await store.write([born({ name: 'c', ...holding('x') })])
        const name = multi ? 'roles' : 'country'
        await store.openModel({ ...people, edition: 1, indexes: [...people.indexes, { name, multi, unique: true }] })
        const refused = await store.buildIndexes(people, build).catch((error: unknown) => error)
        expect(refused).toBeInstanceOf(DuplicateValues)
        expect(refused).toMatchObject({
          index: name,
          pairs: expect.arrayContaining([{ value: 'x', first: 'a', second: 'c' }]) as unknown,
          message: expect.stringContaining('"a" and "c"') as string,
        })
        await store.write([{ type: 'delete', model: people, name: 'c' }])
        await store.buildIndexes(people, build)
        await expect(store.write([born({ name: 'd', ...holding('y') }, { edition: 1 })])).rejects.toMatchObject({
          kind: 'duplicate',
          duplicate: { index: name, holder: 'b' },
        })
        expect(await names(store, [is(name, 'y')])).toEqual(['b'])
      })
    }

    test('an index that is no longer declared is dropped, and its column is reused', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const { composites, ...rest } = people
      await store.write([
        born({ name: 'a', city: 'x', country: 'p', tags: ['t'], age: '1' }),
        born({ name: 'b', city: 'y' }),
      ])
      const withoutCity = rest.indexes.filter(({ name }) => name !== 'city' && name !== 'tags')
      await store.openModel({ ...rest, edition: 1, indexes: withoutCity })
      await store.buildIndexes(people, build)
      await expect(async () => store.list(people, { limit: 9, where: [is('city', 'x')] })).rejects.toThrow(
        'no index "city"',
      )
      await store.write([born({ name: 'c', city: 'x', country: 'p', tags: ['t'] }, { edition: 1 })])
      const again = [...withoutCity, { name: 'country' }, { name: 'tags', multi: true }]
      await store.openModel({ ...rest, edition: 2, indexes: again })
      await store.write([
        moved(await mustGet(store, 'a'), { country: 'p', tags: ['t', 'u'], age: '2' }, { edition: 2 }),
      ])
      await store.buildIndexes(people, build)
      expect(await names(store, [is('country', 'p')])).toEqual(['a', 'c'])
      expect(await names(store, [{ field: 'country', is: { op: 'absent' } }])).toEqual(['b'])
      expect(await names(store, [is('tags', 't')])).toEqual(['a', 'c'])
      expect(composites).toHaveLength(1)
    })

    test('adding a composite does not change results', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write(['3', '1', '2'].map((age) => born({ name: `n${age}`, city: 'x', age })))
      const composites = [
        ...(people.composites ?? []),
        [{ index: 'city' }, { index: 'email' }],
        [{ index: 'age' }, { index: 'city' }],
      ]
      await store.openModel({ ...people, edition: 1, composites })
      const query: ListQuery = { limit: 9, where: [is('age', '1')], sort: [{ field: 'city', descending: false }] }
      const before = await store.list(people, query)
      await store.buildIndexes(people, build)
      expect(await store.indexBuild(people)).toBeUndefined()
      for (const times of [1, 2]) expect((await store.list(people, query)).items, `${times}`).toEqual(before.items)
    })

    test('a change has the indexes of the declaration it was written with', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      await store.write([born({ name: 'a', city: 'x', country: 'p' })])
      const { composites: _, ...rest } = people
      const indexes = [...rest.indexes.filter(({ name }) => name !== 'city'), { name: 'country' }]
      await store.openModel({ ...rest, edition: 1, indexes })
      await store.write([moved(await mustGet(store, 'a'), { city: 'y', country: 'q' }, { edition: 1 })])
      await store.write([born({ name: 'b', country: 'q' }, { edition: 1 })])
      await store.buildIndexes(people, build)
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      const changes = []
      for (let place = start; changes.length < 4;) {
        const batch = await store.readChanges(place, { limit: 9, waitMs: 5_000 })
        changes.push(...batch.changes)
        place = batch.revision
      }
      const singlesOf = (values: IndexedValues | undefined) => values?.single
      expect(singlesOf(changes[0]?.indexed)).toEqual({ city: 'x', age: undefined, email: undefined })
      expect(singlesOf(changes[1]?.previous)).toEqual({ city: 'x', age: undefined, email: undefined })
      expect(singlesOf(changes[1]?.indexed)).toEqual({ country: 'q', age: undefined, email: undefined })
      expect(singlesOf(changes[3]?.indexed)).toEqual({ country: 'q', age: undefined, email: undefined })
    })

    test('an older declaration, or a different one of the same edition, is rejected', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.openModel(byCountry)
      await expect(async () => store.openModel(people)).rejects.toBeInstanceOf(StaleModel)
      await expect(async () => store.openModel({ ...people, edition: 1 })).rejects.toThrow('not the edition 1')
      await expect(async () => store.openModel({ ...byCountry, composites: [] })).rejects.toThrow('not the edition 1')
      await store.openModel({ ...byCountry, edition: 5 })
      await expect(async () => store.openModel(byCountry)).rejects.toBeInstanceOf(StaleModel)
    })

    test('an index with a different type or order is a new index', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([born({ name: 'a', city: 'x' })])
      const indexes = people.indexes.map((index) => (index.name === 'city' ? { ...index, form: 'reversed' } : index))
      const wanted = { limit: 9, where: [is('city', 'y')] }
      await store.openModel({ ...people, edition: 1, indexes })
      await expect(async () => store.list(people, wanted)).rejects.toMatchObject({ reason: 'IndexBuilding' })
      const evaluate: BuildOptions['evaluate'] = async (objects) =>
        objects.map(({ data }) => ({ ...indexedOf(data), single: { city: 'y' } }))
      await store.buildIndexes(people, { evaluate })
      expect(await names(store, [is('city', 'y')])).toEqual(['a'])
      await store.openModel({ ...people, edition: 2, indexes })
      expect(await names(store, [is('city', 'y')])).toEqual(['a'])
    })

    test('a model without objects can be closed, and opened again by a later declaration', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([born({ name: 'a' })])
      expect(await store.closeModel(people)).toBe(false)
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      expect(await store.closeModel(people)).toBe(true)
      expect(await store.closeModel(people)).toBe(true)
      const refused = [
        async () => store.write([born({ name: 'b' })]),
        async () => store.list(people, { limit: 9 }),
        async () => store.openModel(people),
      ]
      for (const attempt of refused) await expect(attempt()).rejects.toBeInstanceOf(StaleModel)
      await store.openModel({ ...people, edition: 9 })
      await store.write([born({ name: 'b' }, { edition: 9 })])
      expect(await names(store, [])).toEqual(['b'])
    })

    test('a write with values of another declaration is rejected and stores nothing', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([born({ name: 'a' })])
      await store.openModel(byCountry)
      const stored = await mustGet(store, 'a')
      await expect(async () => store.write([born({ name: 'b' })])).rejects.toBeInstanceOf(StaleModel)
      await expect(async () => store.write([moved(stored, { city: 'x' })])).rejects.toBeInstanceOf(StaleModel)
      expect(await names(store, [])).toEqual(['a'])
    })

    test.runIf(engine.shared)(
      'a replica with an old declaration can neither write nor list until it opens the new one',
      async () => {
        await using fixture = await openFixture(engine)
        const { store } = fixture
        await store.write([born({ name: 'a', tags: ['t'] }), born({ name: 'held', held: true })])
        await using other = await fixture.reopen()
        const fewer = byCountry.indexes.filter(({ name }) => name !== 'tags')
        await other.openModel({ ...byCountry, indexes: fewer })
        const stored = await mustGet(store, 'a')
        const refused = [
          () => store.write([born({ name: 'b' })]),
          () => store.write([moved(stored, { city: 'x' })]),
          () => store.write([{ ...moved(stored, { city: 'x' }), sameEntries: true }]),
          () => store.write([born({ name: 'b' }), born({ name: 'c' })]),
          () => store.write([{ type: 'delete', model: people, name: 'a' }]),
          () => store.write([{ type: 'delete', model: people, name: 'held' }]),
          () => store.list(people, { limit: 9 }),
          () => store.list(people, { limit: 9, where: [is('tags', 't')] }),
          () => store.buildIndexes(people, build),
        ]
        for (const attempt of refused) await expect(attempt()).rejects.toBeInstanceOf(StaleModel)
        await other.buildIndexes(people, build)
        for (const attempt of refused) await expect(attempt()).rejects.toBeInstanceOf(StaleModel)
        await store.openModel({ ...byCountry, indexes: fewer })
        await store.write([born({ name: 'b', country: 'x' }, { edition: 1 })])
        expect(await names(store, [is('country', 'x')])).toEqual(['b'])
      },
    )

    test.runIf(engine.shared)('a replica notices that another replica built an index', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([born({ name: 'a', country: 'x' })])
      await fixture.store.openModel(byCountry)
      await using other = await fixture.reopen()
      await other.openModel(byCountry)
      await Promise.all([other.buildIndexes(people, build), fixture.store.buildIndexes(people, build)])
      for (const store of [other, fixture.store]) expect(await names(store, [is('country', 'x')])).toEqual(['a'])
    })

    test.runIf(engine.shared)(
      'while replicas write, change the declaration and build, every object keeps its index entries',
      async () => {
        await using fixture = await openFixture(engine)
        const stores = [fixture.store, await fixture.reopen(), await fixture.reopen()]
        for (const store of stores) await store.openModel(people)
        await fixture.store.write(
          Array.from({ length: 3_000 }, (_, at) =>
            born({ name: `n${at}`, country: `c${at % 10}`, roles: [`r${at % 10}`] }),
          ),
        )
        const editions = [1, 2, 3].map((edition): ModelDeclaration => ({
          ...people,
          edition,
          indexes: [...people.indexes, ...(edition === 2 ? [] : [{ name: 'country' }, { name: 'roles', multi: true }])],
        }))
        let stopped = false
        let written = 0
        // Every lane opens the declaration that the first lane has reached, never a later one.
        const reached = { edition: 0 }
        const follow = async (store: Store, lane: number) => {
          let known = 0
          for (let round = 0; !stopped; round++) {
            const value = `${lane}.${round % 50}`
            const name = round % 3 === 0 ? `new-${lane}-${round}` : `n${(lane * 997 + round * 31) % 3_000}`
            const content = { country: `c${value}`, roles: [`r${value}`, `s${value}`] }
            try {
              const stored = await store.get(people, name)
              if (stored && round % 7 === 0) await store.write([{ type: 'delete', model: people, name }])
              else
                await store.write([
                  stored ? moved(stored, content, { edition: known }) : born({ name, ...content }, { edition: known }),
                ])
              written++
            } catch (error) {
              if (!(error instanceof StaleModel)) throw error
              const declaration = editions[reached.edition - 1]
              if (declaration) await store.openModel(declaration)
              known = reached.edition
            }
          }
        }
        const lanes = stores.flatMap((store, at) => [follow(store, at * 2), follow(store, at * 2 + 1)])
        const builder = await fixture.reopen()
        for (const declaration of editions) {
          reached.edition = declaration.edition ?? 0
          await builder.openModel(declaration)
          await builder.buildIndexes(people, build)
        }
        stopped = true
        await Promise.all(lanes)
        expect(written).toBeGreaterThan(50)
        await expectAllEntries(builder)
        for (const store of [...stores.slice(1), builder]) await store[Symbol.asyncDispose]()
      },
    )
  })
}

/** Every object is found by each of its values and by no other value. */
async function expectAllEntries(store: Store): Promise<void> {
  const { items } = await store.list(people, { limit: 100_000, total: 'none' })
  const byValue = new Map<string, Set<string>>()
  for (const { name, data } of items) {
    const { single, multi } = indexedOf(data)
    for (const [field, value] of [
      ['country', single['country']],
      ...(multi['roles'] ?? []).map((role) => ['roles', role]),
    ]) {
      const key = JSON.stringify([field, value])
      byValue.set(key, (byValue.get(key) ?? new Set()).add(name))
    }
  }
  for (const [key, expected] of byValue) {
    const [field, value] = JSON.parse(key) as [string, string]
    const found = await names(store, [is(field, value)], { limit: 100_000 })
    expect([key, ...found]).toEqual([key, ...[...expected].toSorted()])
  }
}
