import { describe, expect, test } from 'vitest'
import { changeContract } from './change-contract.ts'
import { create, mustGet, openFixture, people, places, type StoreEngine } from './fixture.ts'
import { guardContract } from './guard-contract.ts'
import { indexContract } from './index-contract.ts'
import { listContract } from './list-contract.ts'
import { orderContract } from './order-contract.ts'
import { raceContract } from './race-contract.ts'
import { referenceContract } from './reference-contract.ts'
import { writeContract } from './write-contract.ts'

/** The contract of `Store`; every engine runs all tests. */
export function storeContract(engine: StoreEngine): void {
  describe(`${engine.name}:`, () => {
    test('answers a ping', async () => {
      await using fixture = await engine.makeFixture()
      await expect(fixture.store.ping()).resolves.toBeUndefined()
    })

    test('opening a model again changes nothing, and a model that was not opened is an error', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      await fixture.store.openModel(people)
      expect(await mustGet(fixture.store, 'a')).toMatchObject({ name: 'a' })
      await expect(async () => fixture.store.get({ group: 'x.example', plural: 'things' }, 'a')).rejects.toThrow(
        'is not open',
      )
    })

    test('objects are still there after the store is reopened', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', text: 'kept' })])
      await fixture.store[Symbol.asyncDispose]()
      await using again = await fixture.reopen()
      await again.openModel(people)
      expect(String((await mustGet(again, 'a')).data)).toBe('kept')
    })

    test.runIf(engine.shared)('stores that start concurrently on one database all open their models', async () => {
      await using fixture = await engine.makeFixture()
      const stores = await Promise.all(Array.from({ length: 6 }, () => fixture.reopen()))
      await Promise.all(stores.flatMap((store) => [store.openModel(people), store.openModel(places)]))
      for (const [at, store] of stores.entries()) await store.write([create(`n${at}`)])
      expect((await stores[0]?.list(people, { limit: 9 }))?.total?.count).toBe(6)
      for (const store of stores) await store[Symbol.asyncDispose]()
    })
  })
  writeContract(engine)
  guardContract(engine)
  orderContract(engine)
  referenceContract(engine)
  raceContract(engine)
  listContract(engine)
  changeContract(engine)
  indexContract(engine)
}
