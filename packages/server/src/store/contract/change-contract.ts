import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Revision, Store } from '../store.ts'
import { create, drain, mustGet, openFixture, people, places, update, type StoreEngine } from './fixture.ts'

export function changeContract(engine: StoreEngine): void {
  describe(`${engine.name}, the change log:`, () => {
    test('has every stored change once and in order, with the values before it', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      await store.write([create({ name: 'a', city: 'x', labels: { k: 'v' }, tags: ['t'] })])
      const first = await mustGet(store, 'a')
      await store.write([update(first, { text: 'two', city: 'y', labels: { k: 'v' }, tags: ['t', 'u'] })])
      const second = await mustGet(store, 'a')
      await store.write([update(second, { text: 'three', city: 'y', labels: { k: 'v' }, tags: ['t', 'u'] })])
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      const changes = await drain(store, start, 4)
      expect(changes.map(({ op, object }) => `${op} ${object.version} ${String(object.data)}`)).toEqual([
        'added 0 a',
        'modified 1 two',
        'modified 2 three',
        'deleted 3 three',
      ])
      expect(changes[0]).toMatchObject({
        model: { group: people.group, plural: people.plural },
        object: first,
        indexed: { labels: { k: 'v' }, single: { city: 'x' }, multi: { tags: ['t'] } },
      })
      expect(changes[0]).not.toHaveProperty('previous')
      expect(changes[1]).toMatchObject({
        object: second,
        indexed: { single: { city: 'y' }, multi: { tags: ['t', 'u'] } },
        previous: { labels: { k: 'v' }, single: { city: 'x' }, multi: { tags: ['t'] } },
      })
      expect(changes[2]).not.toHaveProperty('previous')
      expect(changes[3]?.object.deletedAt).toEqual(expect.any(Number))
    })

    test('has no entry for a write that changed nothing or was rejected', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([create({ name: 'a', email: 'e' })])
      const { revision } = await store.list(people, { limit: 1 })
      await store.write([update(await mustGet(store, 'a'), { email: 'e' })])
      await store.write([create({ name: 'b', email: 'e' })]).catch(() => {})
      await store.write([create('c'), create('a')]).catch(() => {})
      await store.write([create('last')])
      expect((await drain(store, revision, 1)).map(({ object }) => object.name)).toEqual(['last'])
    })

    test('has one deletion for an object with finalizers, when it is released', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      await store.write([create({ name: 'a', held: true })])
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      await store.write([update(await mustGet(store, 'a'), { text: 'gone' })])
      expect((await drain(store, start, 3)).map(({ op }) => op)).toEqual(['added', 'modified', 'deleted'])
    })

    test('can be read in pages of any size, from any revision it returned', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      for (let at = 0; at < 9; at++) await store.write([create(`n${at}`, at % 2 === 0 ? people : places)])
      const whole = await drain(store, start, 9)
      expect(whole.map(({ object }) => object.name)).toEqual(Array.from({ length: 9 }, (_, at) => `n${at}`))
      for (const limit of [1, 2, 5]) expect(await drain(store, start, 9, limit)).toEqual(whole)
      for (const [at, { revision }] of whole.entries()) {
        const rest = await drain(store, revision, 8 - at)
        expect(rest).toEqual(whole.slice(at + 1))
      }
    })

    test('marks the change that declared an object deleted', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      await store.write([create({ name: 'a', held: true }), create('b')])
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      await store.write([update(await mustGet(store, 'a'), { text: 'let go', held: false })])
      await store.write([{ type: 'delete', model: people, name: 'b' }])
      const changes = await drain(store, start, 5)
      expect(changes.map(({ op, object, declared }) => `${object.name} ${op}${declared ? ', declared' : ''}`)).toEqual([
        'a added',
        'b added',
        'a modified, declared',
        'a deleted',
        'b deleted, declared',
      ])
    })

    test('returns at most the requested bytes, but at least one change', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      for (const name of ['a', 'b', 'c', 'd']) await store.write([create({ name, text: name.repeat(100) })])
      await drain(store, start, 4)
      const read = async (maxBytes: number) =>
        (await store.readChanges(start, { limit: 9, maxBytes, waitMs: 0 })).changes.map(({ object }) => object.name)
      expect(await read(1)).toEqual(['a'])
      expect(await read(100)).toEqual(['a'])
      expect(await read(101)).toEqual(['a', 'b'])
      expect(await read(1_000)).toEqual(['a', 'b', 'c', 'd'])
    })

    test('continues exactly from the revision of a list, without repeated or missing changes', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      let stop = false
      const writer = async (lane: number) => {
        for (let at = 0; !stop && at < 150; at++) await store.write([create(`w${lane}-${at}`)])
      }
      const writers = [0, 1, 2, 3].map(writer)
      const lists: { seen: Set<string>; revision: Revision }[] = []
      for (let at = 0; at < 20; at++) {
        const { items, revision } = await store.list(people, { limit: 100_000, total: 'none' })
        lists.push({ seen: new Set(items.map(({ name }) => name)), revision })
      }
      stop = true
      await Promise.all(writers)
      const all = await store.list(people, { limit: 100_000, total: 'none' })
      for (const { seen, revision } of lists) {
        const missing = all.items.length - seen.size
        const after = await drain(store, revision, missing)
        expect(after.filter(({ object }) => seen.has(object.name))).toEqual([])
        expect(after).toHaveLength(missing)
      }
    })

    test('has the changes of every model, including models that the reader has not opened', async () => {
      await using fixture = await openFixture(engine)
      const start = await fixture.store.head()
      await fixture.store.write([create('a'), create('b', places)])
      await fixture.store[Symbol.asyncDispose]()
      await using again = await fixture.reopen()
      const { changes } = await again.readChanges(start, { limit: 10, waitMs: 5_000 })
      expect(changes.map(({ model }) => model.plural)).toEqual(['people', 'places'])
    })

    test('waits for a change, at most as long as requested', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      expect(await store.readChanges(start, { limit: 1, waitMs: 60 })).toMatchObject({ changes: [], revision: start })
      const anHour = 3_600_000
      let isWaiting = true
      const waiting = store.readChanges(start, { limit: 1, waitMs: anHour }).finally(() => (isWaiting = false))
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(isWaiting).toBe(true)
      await store.write([create('a')])
      expect((await waiting).changes).toHaveLength(1)
      const controller = new AbortController()
      const { revision } = await waiting
      const aborted = store.readChanges(revision, { limit: 1, waitMs: anHour, signal: controller.signal })
      controller.abort()
      expect((await aborted).changes).toEqual([])
    })

    test('rejects a revision that it never returned', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([create('a')])
      const start = await store.head()
      const read = (revision: string) => store.readChanges(revision as Revision, { limit: 1, waitMs: 0 })
      for (const revision of ['', 'x', '1', '1.2.x'])
        await expect(read(revision)).rejects.toMatchObject({ reason: 'BadRequest' })
      await using other = await openFixture(engine)
      await other.store.write([create('a')])
      await expect(read(await other.store.head())).rejects.toMatchObject({ reason: 'RevisionExpired' })
      await expect(read(`999${start}`)).rejects.toMatchObject({ reason: 'RevisionExpired' })
    })
  })
  compactionContract(engine)
  leaseContract(engine)
}

const all = { keepMs: 0, maxBytes: 2 ** 40 }
const nothing = { keepMs: 3_600_000, maxBytes: 2 ** 40 }

function compactionContract(engine: StoreEngine): void {
  describe(`${engine.name}, compaction of the log:`, () => {
    test('removes old changes, and readers at those revisions get an error', async () => {
      await using fixture = await openFixture(engine, { smallLog: true })
      const { store } = fixture
      const start = await store.head()
      await fill(store, 400)
      const before = await store.list(people, { limit: 1 })
      await store.compact(all)
      await expect(store.readChanges(start, { limit: 1, waitMs: 0 })).rejects.toMatchObject({
        reason: 'RevisionExpired',
      })
      const head = await store.head()
      await store.write([create('later')])
      for (const place of [head, before.revision]) {
        const { changes } = await store.readChanges(place, { limit: 9, waitMs: 5_000 })
        expect(changes.map(({ object }) => object.name)).toEqual(['later'])
      }
      expect((await store.list(people, { limit: 1 })).total?.count).toBe(401)
    })

    test('keeps recent changes within the size limit, also when it is repeated', async () => {
      await using fixture = await openFixture(engine, { smallLog: true })
      const { store } = fixture
      const start = await store.head()
      for (const times of [1, 2]) {
        await fill(store, 200, `round-${times}`)
        await store.compact(nothing)
      }
      expect(await drain(store, start, 400)).toHaveLength(400)
    })

    test('removes the oldest recent changes above the size limit', async () => {
      await using fixture = await openFixture(engine, { smallLog: true })
      const { store } = fixture
      const start = await store.head()
      await fill(store, 200, 'old', randomBytes(4_000).toString('base64'))
      await store.compact(nothing)
      await fill(store, 100, 'between')
      const between = await store.head()
      await fill(store, 100, 'young')
      await store.compact({ keepMs: 3_600_000, maxBytes: 1_000_000 })
      await expect(store.readChanges(start, { limit: 1, waitMs: 0 })).rejects.toMatchObject({
        reason: 'RevisionExpired',
      })
      expect(await drain(store, between, 100)).toHaveLength(100)
    })

    test('causes no gap for concurrent readers', async () => {
      await using fixture = await openFixture(engine, { smallLog: true })
      const { store } = fixture
      const [leastWritten, leastRead] = [600, 150]
      /** Fails the test if readers make no progress. */
      const mostWritten = 6_000
      let [written, reading] = [0, 2]
      const goesOn = () => written < leastWritten || (reading > 0 && written < mostWritten)
      const reader = async () => {
        let read = 0
        for (let place = await store.head(), last = -1; goesOn() && (written < leastWritten || read < leastRead);) {
          try {
            const { changes, revision } = await store.readChanges(place, { limit: 7, waitMs: 20 })
            for (const { object } of changes) {
              const number = Number(object.name.split('-')[1])
              if (last >= 0) expect(number).toBe(last + 1)
              last = number
              read++
            }
            place = revision
          } catch (error) {
            expect(error).toMatchObject({ reason: 'RevisionExpired' })
            place = await store.head()
            last = -1
          }
        }
        return read
      }
      const readers = [reader(), reader()].map((each) => each.finally(() => reading--))
      const writer = async () => {
        for (; goesOn(); written++) {
          await store.write([create(`n-${written}`)])
          if (written % 60 === 59) await store.compact(all)
        }
      }
      const [, ...read] = await Promise.all([writer(), ...readers])
      for (const count of read) expect(count).toBeGreaterThanOrEqual(leastRead)
    })

    test.runIf(engine.shared)('can run concurrently on several replicas', async () => {
      await using fixture = await openFixture(engine, { smallLog: true })
      const others = await Promise.all([fixture.reopen(), fixture.reopen()])
      await fill(fixture.store, 300)
      await Promise.all([fixture.store, ...others].map((store) => store.compact(all)))
      const head = await fixture.store.head()
      await fixture.store.write([create('later')])
      expect(await drain(fixture.store, head, 1)).toHaveLength(1)
      for (const store of others) await store[Symbol.asyncDispose]()
    })
  })
}

/** Writes changes and waits until they have revisions. */
async function fill(store: Store, count: number, prefix = 'n', text = 'x'): Promise<void> {
  const start = await store.head()
  for (let from = 0; from < count; from += 50) {
    await store.write(Array.from({ length: 50 }, (_, at) => create({ name: `${prefix}-${from + at}`, text })))
  }
  await drain(store, start, count)
}

function leaseContract(engine: StoreEngine): void {
  describe(`${engine.name}, leases:`, () => {
    test('have one holder, who can renew; an expired or released lease can be acquired', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const take = (holder: string, ttlMs = 60_000) => store.acquireLease('work', { holder, ttlMs })
      const first = await take('ann')
      expect(first).toMatchObject({ name: 'work' })
      expect(await take('bob')).toBeUndefined()
      // Renew for 1 ms, so that the lease expires; no step above depends on the speed of the machine.
      expect(await take('ann', 1)).toEqual(first)
      await new Promise((resolve) => setTimeout(resolve, 50))
      const second = await take('bob')
      expect(second?.token).toBeGreaterThan(first?.token ?? Number.NaN)
      expect(await take('ann')).toBeUndefined()
      if (first) await store.releaseLease(first)
      expect(await take('ann')).toBeUndefined()
      if (second) await store.releaseLease(second)
      expect(await take('ann')).toMatchObject({ name: 'work' })
    })

    test('lists only the leases that are held', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      for (const [name, ttlMs] of [
        ['replica/a', 60_000],
        ['replica/b', 60_000],
        ['replica/c', 1],
        ['other', 60_000],
      ] as const) {
        await store.acquireLease(name, { holder: 'ann', ttlMs, about: 'one' })
      }
      await store.releaseLease({ name: 'replica/b', token: 1 })
      await new Promise((resolve) => setTimeout(resolve, 20))
      await store.acquireLease('replica/a', { holder: 'ann', ttlMs: 60_000, about: 'two' })
      expect(await store.heldLeases('replica/')).toEqual([{ name: 'replica/a', about: 'two' }])
    })

    test('one of 32 concurrent acquirers gets the lease', async () => {
      await using fixture = await openFixture(engine)
      const taken = await Promise.all(
        Array.from({ length: 32 }, (_, at) => fixture.store.acquireLease('work', { holder: `h${at}`, ttlMs: 60_000 })),
      )
      expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1)
    })

    test('a write fenced by a lease succeeds while it is held, and is rejected after a takeover', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const old = await store.acquireLease('work', { holder: 'ann', ttlMs: 20 })
      if (!old) throw new Error('the lease was free')
      await store.write([create('a')], { fence: old })
      await new Promise((resolve) => setTimeout(resolve, 50))
      await store.write([create('b')], { fence: old })
      await store.acquireLease('work', { holder: 'bob', ttlMs: 60_000 })
      await expect(store.write([create('c')], { fence: old })).rejects.toMatchObject({ reason: 'FenceLost' })
      const given = await store.acquireLease('other', { holder: 'ann', ttlMs: 60_000 })
      if (given) await store.releaseLease(given)
      await expect(store.write([create('c')], given ? { fence: given } : {})).rejects.toMatchObject({
        reason: 'FenceLost',
      })
      expect(await store.get(people, 'c')).toBeUndefined()
    })
  })
}
