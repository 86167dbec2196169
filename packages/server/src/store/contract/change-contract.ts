import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Change, Revision, Store } from '../store.ts'
import { create, mustGet, openFixture, people, places, update, type StoreEngine } from './fixture.ts'

export function changeContract(engine: StoreEngine): void {
  describe(`${engine.name}, the change log:`, () => {
    test('has every stored change once and in order, with what it changed', async () => {
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

    test('has nothing of a write that changed nothing or was refused', async () => {
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

    test('has one deletion for an object that was held, when it is let go', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      await store.write([create({ name: 'a', held: true })])
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      await store.write([update(await mustGet(store, 'a'), { text: 'gone' })])
      expect((await drain(store, start, 3)).map(({ op }) => op)).toEqual(['added', 'modified', 'deleted'])
    })

    test('can be read in pieces of any size, from any place it gave out', async () => {
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

    test('tells the change that declared an object deleted from those around it', async () => {
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

    test('is read no further than the bytes asked for, and always one change further', async () => {
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

    test('is exact behind a list: what the list shows does not come again, what it does not show comes', async () => {
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

    test('has the changes of every model, also of those that the reader has not opened', async () => {
      await using fixture = await openFixture(engine)
      const start = await fixture.store.head()
      await fixture.store.write([create('a'), create('b', places)])
      await fixture.store[Symbol.asyncDispose]()
      await using again = await fixture.reopen()
      const { changes } = await again.readChanges(start, { limit: 10, waitMs: 5_000 })
      expect(changes.map(({ model }) => model.plural)).toEqual(['people', 'places'])
    })

    test('waits for a change, and no longer than asked', async () => {
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

    test('refuses a place that it never gave out', async () => {
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
    test('forgets what is too old, and tells readers who stood there', async () => {
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

    test('keeps what is young and fits, however often it is done', async () => {
      await using fixture = await openFixture(engine, { smallLog: true })
      const { store } = fixture
      const start = await store.head()
      for (const times of [1, 2]) {
        await fill(store, 200, `round-${times}`)
        await store.compact(nothing)
      }
      expect(await drain(store, start, 400)).toHaveLength(400)
    })

    test('forgets the oldest of what is young when it takes too much room', async () => {
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

    test('is no gap to anybody who reads meanwhile', async () => {
      await using fixture = await openFixture(engine, { smallLog: true })
      const { store } = fixture
      const [leastWritten, leastRead] = [600, 150]
      /** Ends the test when readers do not get on. */
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

    test.runIf(engine.shared)('can be done by several at once', async () => {
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

/** Writes so many and waits until they are in order. */
async function fill(store: Store, count: number, prefix = 'n', text = 'x'): Promise<void> {
  const start = await store.head()
  for (let from = 0; from < count; from += 50) {
    await store.write(Array.from({ length: 50 }, (_, at) => create({ name: `${prefix}-${from + at}`, text })))
  }
  await drain(store, start, count)
}

function leaseContract(engine: StoreEngine): void {
  describe(`${engine.name}, leases:`, () => {
    test('one holder at a time, who may renew; a lease that ran out or was given back can be taken', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const take = (holder: string, ttlMs = 60_000) => store.acquireLease('work', { holder, ttlMs })
      const first = await take('ann')
      expect(first).toMatchObject({ name: 'work' })
      expect(await take('bob')).toBeUndefined()
      // Renewed for a moment only, so that it runs out: no step above hangs on how fast the machine is.
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

    test('those that are held are told, and no others', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      for (const [name, ttlMs] of [
        ['replica/a', 60_000],
        ['replica/b', 60_000],
        ['replica/c', 1],
        ['other', 60_000],
      ] as const) {
        await store.acquireLease(name, { holder: 'ann', ttlMs })
      }
      await store.releaseLease({ name: 'replica/b', token: 1 })
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(await store.heldLeases('replica/')).toEqual(['replica/a'])
    })

    test('of 32 racing for a lease one gets it', async () => {
      await using fixture = await openFixture(engine)
      const taken = await Promise.all(
        Array.from({ length: 32 }, (_, at) => fixture.store.acquireLease('work', { holder: `h${at}`, ttlMs: 60_000 })),
      )
      expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1)
    })

    test('a write fenced by a lease is done while it is held, and refused once it was taken over', async () => {
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

async function drain(store: Store, after: Revision, count: number, limit = 1_000): Promise<Change[]> {
  const changes: Change[] = []
  let place = after
  while (changes.length < count) {
    const batch = await store.readChanges(place, { limit, waitMs: 5_000 })
    if (batch.changes.length === 0 && batch.revision === place)
      throw new Error(`only ${changes.length} of ${count} changes came`)
    changes.push(...batch.changes)
    place = batch.revision
  }
  const more = await store.readChanges(place, { limit: 10, waitMs: 0 })
  return [...changes, ...more.changes]
}
