import { isApiError } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import type { ModelKey, Store, WriteOperation } from './store.ts'

const things: ModelKey = { group: 'example.com', plural: 'things' }
const others: ModelKey = { group: 'example.com', plural: 'others' }

/** Opens a store over an empty database. `reopen` opens the same database again after the first store was closed. */
export interface StoreFixture extends AsyncDisposable {
  readonly store: Store
  reopen(): Promise<Store>
}

/** Every promise of `Store`, as tests; each engine runs all of them. */
export function storeContract(engine: string, makeFixture: () => Promise<StoreFixture>): void {
  describe(`${engine} keeps the store's promises:`, () => {
    test('what was written can be read back, byte for byte', async () => {
      await using fixture = await makeFixture()
      const bytes = Buffer.from([0, 255, 128, 10, 34, 92, 39])
      expect(await fixture.store.write([{ ...create('a'), bytes }])).toEqual([{ name: 'a', bytes }])
      expect(await fixture.store.get(things, 'a')).toEqual({ name: 'a', bytes })
    })

    test('an object that is not there is undefined, as is one of another model', async () => {
      await using fixture = await makeFixture()
      await fixture.store.write([create('a')])
      expect(await fixture.store.get(things, 'b')).toBeUndefined()
      expect(await fixture.store.get(others, 'a')).toBeUndefined()
    })

    test('a name that is taken throws AlreadyExists and names it; the first object stays', async () => {
      await using fixture = await makeFixture()
      await fixture.store.write([create('a', 'first')])
      await expect(fixture.store.write([create('a', 'second')])).rejects.toMatchObject({
        reason: 'AlreadyExists',
        message: expect.stringContaining('things "a"') as string,
      })
      expect(String((await fixture.store.get(things, 'a'))?.bytes)).toBe('first')
    })

    test('of a batch with one fault nothing is stored, and the fault is named', async () => {
      await using fixture = await makeFixture()
      await fixture.store.write([create('b')])
      await expect(fixture.store.write([create('a'), create('b'), create('c')])).rejects.toThrow('things "b"')
      expect(await fixture.store.get(things, 'a')).toBeUndefined()
      expect(await fixture.store.get(things, 'c')).toBeUndefined()
    })

    test('a batch answers in the order of its operations', async () => {
      await using fixture = await makeFixture()
      const written = await fixture.store.write(['c', 'a', 'b'].map((name) => create(name)))
      expect(written.map(({ name }) => name)).toEqual(['c', 'a', 'b'])
    })

    test('of 32 callers racing for one name exactly one wins', async () => {
      await using fixture = await makeFixture()
      const race = Array.from({ length: 32 }, (_, at) => fixture.store.write([create('a', String(at))]))
      const outcomes = await Promise.allSettled(race)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(isApiError(outcome.reason) && outcome.reason.reason).toBe('AlreadyExists')
      }
    })

    test('batches in opposite orders do not deadlock', async () => {
      await using fixture = await makeFixture()
      const names = Array.from({ length: 40 }, (_, at) => `n${at}`)
      const batches = Array.from({ length: 16 }, (_, at) => (at % 2 === 0 ? names : names.toReversed()))
      const outcomes = await Promise.allSettled(
        batches.map((batch) => fixture.store.write(batch.map((name) => create(name)))),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(isApiError(outcome.reason) && outcome.reason.reason).toBe('AlreadyExists')
      }
    })

    test('a list has the newest first and the total of its model', async () => {
      await using fixture = await makeFixture()
      for (const name of ['c', 'a', 'b']) await fixture.store.write([create(name)])
      await fixture.store.write([{ ...create('x'), model: others }])
      const page = await fixture.store.list(things, { limit: 10 })
      expect(page.items.map(({ name }) => name)).toEqual(['b', 'a', 'c'])
      expect(page).toMatchObject({ total: 3 })
      expect(page.next).toBeUndefined()
    })

    test('an offset passes objects over; past the end the page is empty and the total still right', async () => {
      await using fixture = await makeFixture()
      for (const name of ['a', 'b', 'c']) await fixture.store.write([create(name)])
      const names = async (offset: number) => {
        const page = await fixture.store.list(things, { limit: 2, offset })
        return [page.total, ...page.items.map(({ name }) => name)]
      }
      expect(await names(0)).toEqual([3, 'c', 'b'])
      expect(await names(2)).toEqual([3, 'a'])
      expect(await names(3)).toEqual([3])
      expect(await names(1_000_000)).toEqual([3])
    })

    test('chained pages neither repeat nor skip, whatever is created meanwhile', async () => {
      await using fixture = await makeFixture()
      const names = Array.from({ length: 7 }, (_, at) => `n${at}`)
      for (const name of names) await fixture.store.write([create(name)])
      const seen: string[] = []
      let page = await fixture.store.list(things, { limit: 3 })
      for (let round = 0; ; round++) {
        seen.push(...page.items.map(({ name }) => name))
        if (page.next === undefined) break
        await fixture.store.write([create(`late-${round}`)])
        page = await fixture.store.list(things, { limit: 3, after: page.next })
      }
      expect(seen).toEqual(names.toReversed())
    })

    test('a page that ends exactly with the last object has no next', async () => {
      await using fixture = await makeFixture()
      for (const name of ['a', 'b']) await fixture.store.write([create(name)])
      expect((await fixture.store.list(things, { limit: 2 })).next).toBeUndefined()
      expect((await fixture.store.list(things, { limit: 1 })).next).toBeDefined()
    })

    test('objects outlive the store that wrote them', async () => {
      await using fixture = await makeFixture()
      await fixture.store.write([create('a', 'kept')])
      await fixture.store[Symbol.asyncDispose]()
      await using again = await fixture.reopen()
      expect(String((await again.get(things, 'a'))?.bytes)).toBe('kept')
    })

    test('it answers a ping', async () => {
      await using fixture = await makeFixture()
      await expect(fixture.store.ping()).resolves.toBeUndefined()
    })
  })
}

function create(name: string, text = name): WriteOperation {
  return { type: 'create', model: things, name, bytes: Buffer.from(text) }
}
