import { describe, expect, test } from 'vitest'
import type { StoredObject, Term, UpdateOperation } from '../store.ts'
import { WriteConflict } from '../write-conflict.ts'
import {
  allNames,
  contentOf,
  create,
  mustGet,
  openFixture,
  people,
  places,
  someUid,
  update,
  type StoreEngine,
} from './fixture.ts'

export function writeContract(engine: StoreEngine): void {
  describe(`${engine.name}, writes:`, () => {
    test('a created object is read back byte for byte, with the fields of the store', async () => {
      await using fixture = await openFixture(engine)
      const data = Buffer.from([1, 255, 128, 10, 34, 92, 39])
      const before = Date.now()
      const operation = { ...create('a'), content: { ...contentOf({ name: 'a' }), data } }
      const [result] = await fixture.store.write([operation])
      const stored = await mustGet(fixture.store, 'a')
      expect(result).toEqual({ outcome: 'created', object: stored })
      expect(stored).toEqual({
        name: 'a',
        uid: operation.uid,
        version: 0,
        generation: 1,
        createdAt: expect.any(Number) as number,
        storedAs: 'v1',
        data,
      })
      expect(stored.createdAt).toBeGreaterThanOrEqual(before - 1000)
      expect(stored.createdAt).toBeLessThanOrEqual(Date.now() + 1000)
    })

    test('a missing object, or an object of another model, is undefined', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      expect(await fixture.store.get(people, 'b')).toBeUndefined()
      expect(await fixture.store.get(places, 'a')).toBeUndefined()
    })

    test('a duplicate name is a conflict; the first object stays', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', text: 'first' })])
      await expect(fixture.store.write([create({ name: 'a', text: 'second' })])).rejects.toMatchObject({
        kind: 'exists',
        operation: { name: 'a' },
      })
      expect(String((await mustGet(fixture.store, 'a')).data)).toBe('first')
    })

    test('a dry run returns the result of the write and stores nothing', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([create({ name: 'kept', email: 'taken' })])
      const before = await mustGet(store, 'kept')
      const { revision: start } = await store.list(people, { limit: 1 })
      const dryRun = { dryRun: true }
      const [created] = await store.write([create({ name: 'tried', email: 'free' })], dryRun)
      expect(created).toMatchObject({ outcome: 'created', object: { name: 'tried', version: 0 } })
      expect(await store.get(people, 'tried')).toBeUndefined()
      const change = {
        ...create({ name: 'kept', email: 'other', text: 'changed' }),
        type: 'update' as const,
        newGeneration: true,
      }
      const [updated] = await store.write([{ ...change, expected: before }], dryRun)
      expect(updated).toMatchObject({ outcome: 'updated', object: { version: 1, generation: 2 } })
      const [removed] = await store.write([{ type: 'delete', model: people, name: 'kept' }], dryRun)
      expect(removed).toMatchObject({ outcome: 'removed' })
      expect(await mustGet(store, 'kept')).toEqual(before)
      for (const taken of [create('kept'), create({ name: 'tried', email: 'taken' })]) {
        await expect(store.write([taken], dryRun)).rejects.toBeInstanceOf(WriteConflict)
      }
      const { changes } = await store.readChanges(start, { limit: 9, waitMs: 50 })
      expect(changes).toEqual([])
    })

    test('an update increments version and generation, and returns the stored object', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const first = await mustGet(fixture.store, 'a')
      const [quiet] = await fixture.store.write([update(first, { text: 'two' })])
      expect(quiet).toMatchObject({
        outcome: 'updated',
        object: { version: 1, generation: 1, createdAt: first.createdAt },
      })
      const second = await mustGet(fixture.store, 'a')
      expect(quiet?.object).toEqual(second)
      const [loud] = await fixture.store.write([
        {
          ...update(second, { text: 'three' }),
          newGeneration: true,
          content: { ...contentOf({ name: 'a', text: 'three' }), storedAs: 'v2' },
        },
      ])
      expect(loud).toMatchObject({ outcome: 'updated', object: { version: 2, generation: 2, storedAs: 'v2' } })
      expect(loud?.object).toEqual(await mustGet(fixture.store, 'a'))
    })

    test('an update that keeps the index values changes the data, and lists find the object as before', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const start = await store.head()
      await store.write(
        ['a', 'b', 'c'].map((name) => create({ name, labels: { k: 'v' }, tags: ['x'], city: 'y', email: name })),
      )
      const keeping = (stored: StoredObject, text: string, held = false): UpdateOperation => ({
        ...update(stored, {}),
        content: { data: Buffer.from(text), storedAs: 'v2', held, indexed: 'kept' },
      })
      const first = await mustGet(store, 'a')
      const [quiet] = await store.write([keeping(first, 'two')])
      expect(quiet).toMatchObject({ outcome: 'updated', object: { version: 1, generation: 1, storedAs: 'v2' } })
      expect(quiet?.object).toEqual(await mustGet(store, 'a'))
      const others = await Promise.all(['b', 'c'].map((name) => mustGet(store, name)))
      await store.write(others.map((other) => ({ ...keeping(other, 'two'), newGeneration: true })))
      for (const where of [
        [{ label: 'k', is: { op: '=', value: 'v' } }],
        [{ field: 'tags', is: { op: '=', value: 'x' } }],
        [{ field: 'city', is: { op: '=', value: 'y' } }],
      ] as const) {
        expect((await store.list(people, { limit: 9, where })).items).toHaveLength(3)
      }
      await expect(store.write([keeping(first, 'three')])).rejects.toMatchObject({
        kind: 'version',
        stored: { version: 1 },
      })
      const stored = await mustGet(store, 'a')
      expect(await store.write([keeping(stored, 'two')])).toMatchObject([
        { outcome: 'unchanged', object: { version: 1 } },
      ])
      const [held] = await store.write([keeping(stored, 'three', true)])
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      const declared = await mustGet(store, 'a')
      expect(declared.version).toBe((held?.object.version ?? 0) + 1)
      expect(await store.write([keeping(declared, 'four')])).toMatchObject([{ outcome: 'removed' }])
      expect(
        (await store.list(people, { limit: 9, where: [{ label: 'k', is: { op: 'present' } }] })).total?.count,
      ).toBe(2)
      await expect(store.write([keeping(declared, 'five')])).rejects.toMatchObject({ kind: 'missing' })
      const changes = []
      for (let place = start; changes.length < 9;) {
        const batch = await store.readChanges(place, { limit: 99, waitMs: 5_000 })
        changes.push(...batch.changes)
        place = batch.revision
        if (batch.changes.some(({ op }) => op === 'deleted')) break
      }
      for (const { indexed, previous } of changes) {
        expect(indexed).toMatchObject({ labels: { k: 'v' }, single: { city: 'y' }, multi: { tags: ['x'] } })
        expect(previous).toBeUndefined()
      }
      expect(changes.map(({ op }) => op).filter((op) => op === 'modified')).toHaveLength(5)
    })

    test('an update marked as keeping labels and sets succeeds, whether that is true or not', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([create({ name: 'a', labels: { k: 'v' }, tags: ['x'], held: true })])
      const change = async (changes: Parameters<typeof update>[1]) =>
        store.write([{ ...update(await mustGet(store, 'a'), changes), sameEntries: true }])
      const found = async () => {
        const count = async (term: Term) => (await store.list(people, { limit: 1, where: [term] })).total?.count
        return [
          await count({ label: 'k', is: { op: '=', value: 'w' } }),
          await count({ field: 'tags', is: { op: '=', value: 'y' } }),
        ]
      }
      expect(await change({ text: 'two', labels: { k: 'v' }, tags: ['x'], city: 'c', held: true })).toMatchObject([
        { outcome: 'updated', object: { version: 1 } },
      ])
      expect(await found()).toEqual([0, 0])
      expect(await change({ text: 'three', labels: { k: 'w' }, tags: ['x', 'y'], held: true })).toMatchObject([
        { outcome: 'updated', object: { version: 2 } },
      ])
      expect(await found()).toEqual([1, 1])
      await store.write([{ type: 'delete', model: people, name: 'a' }])
      expect(await change({ text: 'four', labels: { k: 'w' }, tags: ['x', 'y'] })).toMatchObject([
        { outcome: 'removed' },
      ])
      expect(await found()).toEqual([0, 0])
    })

    test('an update with the stored data changes nothing and keeps the version', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const first = await mustGet(fixture.store, 'a')
      const [result] = await fixture.store.write([{ ...update(first, {}), newGeneration: true }])
      expect(result).toEqual({ outcome: 'unchanged', object: first })
      expect(await mustGet(fixture.store, 'a')).toEqual(first)
    })

    test('an update of an older version is a conflict that carries the stored object', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const first = await mustGet(fixture.store, 'a')
      await fixture.store.write([update(first, { text: 'two' })])
      const stored = await mustGet(fixture.store, 'a')
      const conflict = fixture.store.write([update(first, { text: 'three' })])
      await expect(conflict).rejects.toMatchObject({ kind: 'version', stored })
    })

    test('the preconditions of an update are checked even if it changes nothing', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const first = await mustGet(fixture.store, 'a')
      await fixture.store.write([update(first, { text: 'two' })])
      await expect(fixture.store.write([update(first, { text: 'two' })])).rejects.toMatchObject({ kind: 'version' })
    })

    test('an update of another object of the same name is a conflict', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const first = await mustGet(fixture.store, 'a')
      await expect(fixture.store.write([update({ ...first, uid: someUid() }, {})])).rejects.toMatchObject({
        kind: 'uid',
        stored: first,
      })
    })

    test('an update or deletion of a missing object is a conflict', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const first = await mustGet(fixture.store, 'a')
      await expect(fixture.store.write([update({ ...first, name: 'b' }, {})])).rejects.toMatchObject({
        kind: 'missing',
      })
      await expect(fixture.store.write([{ type: 'delete', model: people, name: 'b' }])).rejects.toMatchObject({
        kind: 'missing',
      })
    })

    test('deleting removes the object and returns its last state', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', labels: { k: 'v' }, tags: ['x'], email: 'e' })])
      const first = await mustGet(fixture.store, 'a')
      const [result] = await fixture.store.write([{ type: 'delete', model: people, name: 'a' }])
      expect(result).toEqual({
        outcome: 'removed',
        object: { ...first, version: 1, deletedAt: expect.any(Number) as number },
      })
      expect(await fixture.store.get(people, 'a')).toBeUndefined()
      const [again] = await fixture.store.write([create({ name: 'a', labels: { k: 'v' }, tags: ['x'], email: 'e' })])
      expect(again).toMatchObject({ outcome: 'created', object: { version: 0 } })
    })

    test('deleting checks the given version and uid', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const { uid } = await mustGet(fixture.store, 'a')
      const remove = (expected: object) => fixture.store.write([{ type: 'delete', model: people, name: 'a', expected }])
      await expect(remove({ version: 1 })).rejects.toMatchObject({ kind: 'version', stored: { version: 0 } })
      await expect(remove({ uid: someUid() })).rejects.toMatchObject({ kind: 'uid' })
      expect(await remove({ uid, version: 0 })).toMatchObject([{ outcome: 'removed' }])
    })

    test('an object with finalizers is only declared deleted, once, and stays readable', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', held: true, email: 'e' })])
      const remove = () => fixture.store.write([{ type: 'delete', model: people, name: 'a' }])
      const [declared] = await remove()
      expect(declared).toMatchObject({
        outcome: 'declared',
        object: { version: 1, deletedAt: expect.any(Number) as number },
      })
      const stored = await mustGet(fixture.store, 'a')
      expect(declared?.object).toEqual(stored)
      expect(await remove()).toEqual([{ outcome: 'unchanged', object: stored }])
      await expect(fixture.store.write([create({ name: 'b', email: 'e' })])).rejects.toMatchObject({
        kind: 'duplicate',
      })
    })

    test('the update that releases an object declared deleted removes it', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', held: true, labels: { k: 'v' }, tags: ['x'] })])
      await fixture.store.write([{ type: 'delete', model: people, name: 'a' }])
      const kept = await fixture.store.write([
        update(await mustGet(fixture.store, 'a'), { text: 'still held', held: true }),
      ])
      expect(kept).toMatchObject([{ outcome: 'updated', object: { version: 2 } }])
      const declared = await mustGet(fixture.store, 'a')
      const [result] = await fixture.store.write([update(declared, { text: 'last words' })])
      expect(result).toEqual({
        outcome: 'removed',
        object: { ...declared, version: 3, data: Buffer.from('last words') },
      })
      expect(await fixture.store.get(people, 'a')).toBeUndefined()
      expect(
        (await fixture.store.list(people, { limit: 1, where: [{ label: 'k', is: { op: 'present' } }] })).total?.count,
      ).toBe(0)
      expect(
        (await fixture.store.list(people, { limit: 1, where: [{ field: 'tags', is: { op: '=', value: 'x' } }] })).total
          ?.count,
      ).toBe(0)
    })

    test('releasing a live object keeps it', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', held: true })])
      expect(await fixture.store.write([update(await mustGet(fixture.store, 'a'), {})])).toMatchObject([
        { outcome: 'updated' },
      ])
      expect(await fixture.store.write([{ type: 'delete', model: people, name: 'a' }])).toMatchObject([
        { outcome: 'removed' },
      ])
    })
  })
  batchContract(engine)
  uniqueContract(engine)
}

function batchContract(engine: StoreEngine): void {
  describe(`${engine.name}, batches:`, () => {
    test('results are in the order of the operations, whatever their kinds and models', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('b'), create('d')])
      const b = await mustGet(fixture.store, 'b')
      const results = await fixture.store.write([
        create('c'),
        { type: 'delete', model: people, name: 'd' },
        create('a'),
        update(b, { text: 'changed' }),
        create('z', places),
      ])
      expect(results.map(({ outcome, object }) => `${outcome} ${object.name}`)).toEqual([
        'created c',
        'removed d',
        'created a',
        'updated b',
        'created z',
      ])
      expect((await allNames(fixture.store)).toSorted()).toEqual(['a', 'b', 'c'])
    })

    const faults = [
      ['a create with a duplicate name', create('taken'), 'exists'],
      ['a create with a duplicate value', create({ name: 'n', email: 'taken' }), 'duplicate'],
      ['a deletion of a missing object', { type: 'delete', model: people, name: 'nobody' }, 'missing'],
      [
        'a deletion of another version',
        { type: 'delete', model: people, name: 'taken', expected: { version: 7 } },
        'version',
      ],
    ] as const
    for (const [what, fault, kind] of faults) {
      test(`with ${what} no operation is done`, async () => {
        await using fixture = await openFixture(engine)
        await fixture.store.write([create({ name: 'taken', email: 'taken' }), create('old')])
        const old = await mustGet(fixture.store, 'old')
        const batch = [
          create('new'),
          update(old, { text: 'changed' }),
          { type: 'delete', model: people, name: 'old2' } as const,
        ]
        await fixture.store.write([create('old2')])
        await expect(fixture.store.write([...batch, fault])).rejects.toMatchObject({ kind })
        expect(await allNames(fixture.store)).toEqual(['old', 'taken', 'old2'])
        expect(await mustGet(fixture.store, 'old')).toEqual(old)
      })
    }

    test('one conflicting update prevents all updates of the batch', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write(['a', 'b', 'c'].map((name) => create(name)))
      const [a, b, c] = [
        await mustGet(fixture.store, 'a'),
        await mustGet(fixture.store, 'b'),
        await mustGet(fixture.store, 'c'),
      ]
      await fixture.store.write([update(b, { text: 'meanwhile' })])
      const batch = [a, b, c].map((stored) => update(stored, { text: 'changed' }))
      await expect(fixture.store.write(batch)).rejects.toMatchObject({ kind: 'version', operation: { name: 'b' } })
      expect(await mustGet(fixture.store, 'a')).toEqual(a)
      expect(await mustGet(fixture.store, 'c')).toEqual(c)
    })
  })
}

function uniqueContract(engine: StoreEngine): void {
  describe(`${engine.name}, unique values:`, () => {
    test('a duplicate names the index, the value and its holder', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', email: 'x(y), z' })])
      await expect(fixture.store.write([create({ name: 'b', email: 'x(y), z' })])).rejects.toMatchObject({
        kind: 'duplicate',
        duplicate: { index: 'email', value: 'x(y), z', holder: 'a' },
      })
    })

    test('every value of a set is unique', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', badges: ['1', '2'] })])
      await expect(fixture.store.write([create({ name: 'b', badges: ['3', '2'] })])).rejects.toMatchObject({
        kind: 'duplicate',
        duplicate: { index: 'badges', value: '2', holder: 'a' },
      })
    })

    test('a missing value, or a value repeated in one set, is no duplicate', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a'), create('b'), create({ name: 'c', badges: ['1', '1'], tags: ['t', 't'] })])
      expect(await allNames(fixture.store)).toHaveLength(3)
    })

    test('an update can keep and release its values and use free ones, but no duplicates', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([
        create({ name: 'a', email: 'a', badges: ['1', '2'] }),
        create({ name: 'b', email: 'b' }),
      ])
      const change = async (name: string, changes: Parameters<typeof update>[1]) =>
        fixture.store.write([update(await mustGet(fixture.store, name), changes)])
      await change('a', { text: 'kept', email: 'a', badges: ['1', '2'] })
      await change('a', { text: 'moved', email: 'c', badges: ['2', '3'] })
      await expect(change('b', { text: 'x', email: 'c' })).rejects.toMatchObject({
        duplicate: { index: 'email', holder: 'a' },
      })
      await expect(change('b', { text: 'x', badges: ['3'] })).rejects.toMatchObject({
        duplicate: { index: 'badges', holder: 'a' },
      })
      await change('b', { text: 'freed', email: 'a', badges: ['1'] })
      expect(await mustGet(fixture.store, 'b')).toMatchObject({ version: 1 })
    })

    test('a removed object releases its values', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create({ name: 'a', email: 'e', badges: ['1'] })])
      await fixture.store.write([{ type: 'delete', model: people, name: 'a' }])
      await fixture.store.write([create({ name: 'b', email: 'e', badges: ['1'] })])
      expect(await allNames(fixture.store)).toEqual(['b'])
    })
  })
}
