import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  boundedTotal,
  type AnyOf,
  type Clause,
  type Condition,
  type Cursor,
  type ListQuery,
  type SortKey,
  type Store,
  type Term,
} from '../store.ts'
import { create, mustGet, openFixture, people, places, type Person, type StoreEngine } from './fixture.ts'
import { naiveList } from './naive-list.ts'

/** Few values, so that they often collide; some that JavaScript and a database sort differently. */
const words = ['', 'a', 'ab', 'b', 'Z', 'é', '\ufffd', '\u{1f600}', "o'x", '%', '_', '\\', '"']
const word = fc.constantFrom(...words)

const person = fc.record(
  {
    labels: fc.dictionary(fc.constantFrom('team', 'tier', 'example.com/x'), fc.constantFrom('', 'a', 'b', 'c')),
    city: word,
    age: word,
    tags: fc.uniqueArray(word, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

const condition = (value: fc.Arbitrary<string>): fc.Arbitrary<Condition> =>
  fc.oneof(
    fc.record({ op: fc.constantFrom('present' as const, 'absent' as const) }),
    fc.record({
      op: fc.constantFrom('=' as const, '>' as const, '>=' as const, '<' as const, '<=' as const, 'prefix' as const),
      value,
    }),
    fc.record({ op: fc.constantFrom('in' as const, 'not in' as const), values: fc.array(value, { maxLength: 3 }) }),
  )

const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({
    label: fc.constantFrom('team', 'tier', 'example.com/x', 'nobody'),
    is: condition(fc.constantFrom('', 'a', 'b', 'd')),
  }),
  fc.record({ field: fc.constantFrom('city', 'age', 'tags'), is: condition(word) }),
  fc.record({ field: fc.constant('metadata.name'), is: condition(fc.constantFrom('p1', 'p10', 'p3', 'q')) }),
)

const anyOf: fc.Arbitrary<AnyOf> = fc.record({
  anyOf: fc.array(fc.array(term, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
})

const clauses: fc.Arbitrary<Clause[]> = fc
  .tuple(fc.array(term, { maxLength: 3 }), fc.option(anyOf, { nil: undefined }))
  .map(([terms, alternatives]) => [...terms, ...(alternatives ? [alternatives] : [])])

const sort: fc.Arbitrary<SortKey[]> = fc.array(
  fc.record({
    field: fc.constantFrom('city', 'age', 'email', 'metadata.name', 'metadata.creationTimestamp'),
    descending: fc.boolean(),
  }),
  { maxLength: 3 },
)

export function listContract(engine: StoreEngine): void {
  describe(`${engine.name}, lists:`, () => {
    test('every combination of terms, sorts, pages and cursors has the result of the naive list', async () => {
      await using fixture = await openFixture(engine)
      const generated = fc.sample(person, { numRuns: 60, seed: 7 })
      const everybody = generated.map((values, at): Person => ({
        ...values,
        name: `p${at}`,
        email: at % 3 === 0 ? undefined : `e${(at * 7) % 60}`,
      }))
      for (const one of everybody) await fixture.store.write([create(one)])
      const query = fc.record({
        where: clauses,
        sort,
        limit: fc.integer({ min: 1, max: 9 }),
        offset: fc.integer({ min: 0, max: 70 }),
      })
      await fc.assert(
        fc.asyncProperty(query, async ({ where, sort: keys, limit, offset }) => {
          const expected = naiveList(everybody, where, keys)
          const page = await fixture.store.list(people, { where, sort: keys, limit, offset })
          expect(names(page)).toEqual(expected.slice(offset, offset + limit))
          expect(page.total).toEqual({ count: expected.length, isEstimate: false })
          expect(page.next !== undefined).toBe(offset + limit < expected.length)
          const uncounted = await fixture.store.list(people, { where, sort: keys, limit, offset, total: 'none' })
          expect(names(uncounted)).toEqual(names(page))
          const counted = await fixture.store.list(people, { where, sort: keys, limit: 1, total: 'exact' })
          expect(counted.total).toEqual({ count: expected.length, isEstimate: false })
          expect(await allPages(fixture.store, { where, sort: keys, limit })).toEqual(expected)
        }),
        { numRuns: 250 },
      )
    })

    test('the same holds after updates and deletions', async () => {
      await using fixture = await openFixture(engine)
      const before = fc
        .sample(person, { numRuns: 40, seed: 1 })
        .map((values, at): Person => ({ ...values, name: `p${at}` }))
      const after = fc
        .sample(person, { numRuns: 40, seed: 2 })
        .map((values, at): Person => ({ ...values, name: `p${at}`, text: 'changed' }))
      await fixture.store.write(before.map((one) => create(one)))
      const kept = after.filter((_, at) => at % 4 !== 0)
      for (const one of kept) {
        const { uid, version } = await mustGet(fixture.store, one.name)
        await fixture.store.write([
          { ...create(one), type: 'update', expected: { uid, version }, newGeneration: false },
        ])
      }
      for (const { name } of after.filter((_, at) => at % 4 === 0))
        await fixture.store.write([{ type: 'delete', model: people, name }])
      const order = (await fixture.store.list(people, { limit: 100 })).items.map(({ name }) => name).toReversed()
      const inOrder = order.map((name) => kept.find((one) => one.name === name) ?? { name })
      await fc.assert(
        fc.asyncProperty(fc.array(term, { minLength: 1, maxLength: 2 }), sort, async (where, keys) => {
          const page = await fixture.store.list(people, { where, sort: keys, limit: 100 })
          expect(names(page)).toEqual(naiveList(inOrder, where, keys))
        }),
        { numRuns: 100 },
      )
    })

    test('a list accepts the maximum number of label terms', async () => {
      await using fixture = await openFixture(engine)
      const keys = Array.from({ length: 64 }, (_, at) => `k${at}`)
      const labelled = (some: readonly string[]) => Object.fromEntries(some.map((key) => [key, 'v']))
      await fixture.store.write([
        create({ name: 'all', labels: labelled(keys) }),
        create({ name: 'some', labels: labelled(keys.slice(1)) }),
      ])
      for (const [is, count] of [
        [{ op: '=', value: 'v' }, 64],
        [{ op: 'present' }, 64],
        [{ op: 'in', values: ['u', 'v'] }, 64],
        [{ op: '=', value: 'v' }, 12],
      ] as const) {
        const where = Array.from({ length: 100 }, (_, at): Term => ({ label: `k${at % count}`, is }))
        for (const total of ['bounded', 'exact', 'none'] as const) {
          const page = await fixture.store.list(people, { where, limit: 9, total })
          expect(names(page)).toEqual(['all'])
          if (total !== 'none') expect(page.total).toEqual({ count: 1, isEstimate: false })
        }
      }
    })

    test('without a sort the newest come first, and models do not mix', async () => {
      await using fixture = await openFixture(engine)
      for (const name of ['c', 'a', 'b']) await fixture.store.write([create(name)])
      await fixture.store.write([create('x', places)])
      expect(names(await fixture.store.list(people, { limit: 9 }))).toEqual(['b', 'a', 'c'])
      expect(names(await fixture.store.list(places, { limit: 9 }))).toEqual(['x'])
    })

    test('an object that has several of the values is listed once', async () => {
      await using fixture = await openFixture(engine)
      const tagsOf = [['x', 'y'], ['y'], ['x', 'y', 'z'], ['z'], ['x'], ['y', 'z']]
      await fixture.store.write(tagsOf.map((tags, at) => create({ name: `n${at}`, tags })))
      const where: Term[] = [{ field: 'tags', is: { op: 'in', values: ['x', 'y', 'y'] } }]
      const expected = ['n5', 'n4', 'n2', 'n1', 'n0']
      for (const limit of [1, 2, 9]) expect(await allPages(fixture.store, { where, limit })).toEqual(expected)
      const page = await fixture.store.list(people, { where, limit: 2, offset: 2 })
      expect(names(page)).toEqual(['n2', 'n1'])
      expect(page.total).toEqual({ count: 5, isEstimate: false })
    })

    test('a page past the end is empty and has the total', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write(['a', 'b', 'c'].map((name) => create(name)))
      expect(await fixture.store.list(people, { limit: 2, offset: 1_000_000 })).toMatchObject({
        items: [],
        total: { count: 3, isEstimate: false },
      })
    })

    test('a page ends after the object that exceeds the byte limit, and the next page continues there', async () => {
      await using fixture = await openFixture(engine)
      for (let at = 0; at < 7; at++) {
        await fixture.store.write([create({ name: `n${at}`, city: 'x', text: 'x'.repeat(at === 3 ? 50_000 : 10_000) })])
      }
      for (const keys of [[], [{ field: 'city', descending: false }]]) {
        const sizes: number[] = []
        const pages: string[][] = []
        for (let after: Cursor | undefined; ;) {
          const query: ListQuery = { limit: 5, maxBytes: 25_000, sort: keys, ...(after !== undefined && { after }) }
          const page = await fixture.store.list(people, query)
          expect(page.total).toEqual({ count: 7, isEstimate: false })
          pages.push(names(page))
          sizes.push(page.items.length)
          after = page.next
          if (after === undefined) break
        }
        const all = ['n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0']
        expect(pages.flat()).toEqual(keys.length === 0 ? all : all.toReversed())
        expect(sizes).toEqual([3, 1, 3])
      }
    })

    test('the total is returned only on request', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      expect(await fixture.store.list(people, { limit: 2, total: 'none' })).not.toHaveProperty('total')
    })

    test('chained pages neither repeat nor skip objects, whatever is created meanwhile', async () => {
      await using fixture = await openFixture(engine)
      const before = Array.from({ length: 7 }, (_, at) => `n${at}`)
      for (const name of before) await fixture.store.write([create({ name, city: 'x' })])
      const sorts: SortKey[][] = [
        [],
        [{ field: 'city', descending: false }],
        [{ field: 'metadata.name', descending: true }],
      ]
      for (const keys of sorts) {
        const late = () =>
          fixture.store.write([create({ name: `late-${Math.random().toString(36).slice(2)}`, city: 'x' })])
        const seen = await allPages(fixture.store, { sort: keys, limit: 3 }, late)
        expect(seen.filter((name) => before.includes(name)).toSorted()).toEqual(before)
        expect(new Set(seen).size).toBe(seen.length)
      }
    })

    test('objects declared deleted can be selected and sorted by deletion time', async () => {
      await using fixture = await openFixture(engine)
      for (const name of ['a', 'b', 'c', 'd']) await fixture.store.write([create({ name, held: true })])
      for (const name of ['c', 'a']) {
        await fixture.store.write([{ type: 'delete', model: people, name }])
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const field = 'metadata.deletionTimestamp'
      const listed = (query: Partial<ListQuery>) => allPages(fixture.store, { limit: 1, ...query })
      expect(await listed({ where: [{ field, is: { op: 'present' } }] })).toEqual(['c', 'a'])
      expect(await listed({ where: [{ field, is: { op: 'absent' } }] })).toEqual(['d', 'b'])
      expect(await listed({ sort: [{ field, descending: true }] })).toEqual(['a', 'c', 'd', 'b'])
      expect(await listed({ sort: [{ field, descending: false }] })).toEqual(['b', 'd', 'c', 'a'])
    })

    test('creation times can be selected with millisecond precision', async () => {
      await using fixture = await openFixture(engine)
      for (const name of ['a', 'b', 'c']) {
        await fixture.store.write([create(name)])
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const { createdAt } = await mustGet(fixture.store, 'b')
      const key = (milliseconds: number, nanoseconds = '000000') =>
        `${new Date(milliseconds).toISOString().slice(0, 23)}${nanoseconds}Z`
      const select = async (is: Condition) =>
        names(await fixture.store.list(people, { limit: 9, where: [{ field: 'metadata.creationTimestamp', is }] }))
      expect(await select({ op: '=', value: key(createdAt) })).toEqual(['b'])
      expect(await select({ op: '=', value: key(createdAt, '000001') })).toEqual([])
      expect(await select({ op: '>', value: key(createdAt) })).toEqual(['c'])
      expect(await select({ op: '>=', value: key(createdAt) })).toEqual(['c', 'b'])
      expect(await select({ op: '>=', value: key(createdAt, '000001') })).toEqual(['c'])
      expect(await select({ op: '<', value: key(createdAt, '000001') })).toEqual(['b', 'a'])
      expect(await select({ op: '<=', value: key(createdAt) })).toEqual(['b', 'a'])
      expect(await select({ op: 'not in', values: [key(createdAt)] })).toEqual(['c', 'a'])
    })

    test('an invalid cursor is rejected', async () => {
      await using fixture = await openFixture(engine)
      const cursors = ['', 'x', '[]', '[1]', '[null]', '["x"]', '["1","2"]'].map((json) =>
        Buffer.from(json).toString('base64url'),
      )
      for (const after of cursors as Cursor[]) {
        await expect(fixture.store.list(people, { limit: 1, after })).rejects.toMatchObject({ reason: 'BadRequest' })
      }
    })

    test('above the limit a total is marked as an estimate, unless an exact total is requested', async () => {
      await using fixture = await openFixture(engine)
      const count = boundedTotal + 300
      for (let from = 0; from < count; from += 1_000) {
        const batch = Array.from({ length: Math.min(1_000, count - from) }, (_, at) =>
          create({ name: `n${from + at}`, city: 'x', labels: { k: 'v' }, tags: ['a', 'ab'] }),
        )
        await fixture.store.write(batch)
      }
      const queries: Partial<ListQuery>[] = [
        {},
        { where: [{ field: 'city', is: { op: '=', value: 'x' } }] },
        { where: [{ label: 'k', is: { op: '=', value: 'v' } }] },
        { where: [{ field: 'tags', is: { op: 'in', values: ['a', 'ab'] } }] },
        { where: [{ field: 'tags', is: { op: 'prefix', value: 'a' } }] },
        { where: [{ label: 'k', is: { op: '=', value: 'v' } }], sort: [{ field: 'age', descending: true }] },
        {
          where: [
            { field: 'city', is: { op: '=', value: 'x' } },
            { label: 'k', is: { op: 'present' } },
            { field: 'tags', is: { op: 'in', values: ['a', 'b'] } },
          ],
        },
        {
          where: [
            { field: 'city', is: { op: '=', value: 'x' } },
            { label: 'other', is: { op: 'absent' } },
          ],
        },
        {
          where: [
            { anyOf: [[{ field: 'city', is: { op: '=', value: 'x' } }], [{ field: 'tags', is: { op: 'present' } }]] },
          ],
        },
        {
          where: [
            { field: 'city', is: { op: 'present' } },
            {
              anyOf: [
                [{ field: 'city', is: { op: '=', value: 'x' } }],
                [
                  { field: 'tags', is: { op: '=', value: 'a' } },
                  { label: 'k', is: { op: 'present' } },
                ],
              ],
            },
          ],
        },
      ]
      for (const query of queries) {
        const bounded = await fixture.store.list(people, { limit: 1, ...query })
        expect(bounded.total?.count).toBeGreaterThan(boundedTotal)
        const exact = await fixture.store.list(people, { limit: 1, ...query, total: 'exact' })
        expect(exact.total).toEqual({ count, isEstimate: false })
      }
    })
  })
}

function names({ items }: { items: readonly { name: string }[] }): string[] {
  return items.map(({ name }) => name)
}

async function allPages(
  store: Store,
  query: ListQuery,
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  let page = await store.list(people, query)
  for (;;) {
    seen.push(...names(page))
    if (page.next === undefined) return seen
    await between()
    page = await store.list(people, { ...query, after: page.next })
  }
}
