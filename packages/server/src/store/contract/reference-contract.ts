import { describe, expect, test } from 'vitest'
import { StaleModel } from '../stale-model.ts'
import { WriteConflict } from '../write-conflict.ts'
import { GuardFailed } from '../guard-failed.ts'
import type { CreateOperation, ModelDeclaration, Store, WriteOperation, WriteOptions } from '../store.ts'
import { contentOf, create, people, places, type StoreEngine } from './fixture.ts'
import { uuidv7 } from '../../base/uuid.ts'

const trips: ModelDeclaration = {
  group: 'example.com',
  plural: 'trips',
  indexes: [
    { name: 'to', refersTo: places },
    { name: 'via', multi: true, refersTo: places },
    { name: 'after', refersTo: { group: 'example.com', plural: 'trips' } },
  ],
}
const noTrips = { ...trips, indexes: [] }

interface Trip {
  readonly to?: string
  readonly via?: readonly string[]
  readonly after?: string
}

function trip(name: string, { to, via = [], after }: Trip, edition = 0): CreateOperation {
  const indexed = { labels: {}, single: { to, after }, multi: { via } }
  const { data, storedAs } = contentOf({ name })
  return {
    type: 'create',
    model: trips,
    name,
    uid: uuidv7(Date.now()),
    content: { data, storedAs, held: false, indexed, edition },
  }
}
const place = (name: string, held = false) => create({ name, held }, places)
const removal = (model: ModelDeclaration, name: string): WriteOperation => ({ type: 'delete', model, name })

async function opened(engine: StoreEngine) {
  const fixture = await engine.makeFixture()
  for (const model of [people, places, trips]) await fixture.store.openModel(model)
  const write = (...operations: readonly WriteOperation[]) => outcomeOf(fixture.store, operations)
  return { fixture, store: fixture.store, write, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() }
}

async function outcomeOf(store: Store, operations: readonly WriteOperation[], options?: WriteOptions): Promise<string> {
  try {
    await store.write(operations, options)
    return 'done'
  } catch (error) {
    if (error instanceof GuardFailed) return error.guard.is
    if (!(error instanceof WriteConflict)) throw error
    const { kind, operation, target } = error
    return target ? `${operation.name}: no ${target.index} ${target.name}` : `${operation.name}: ${kind}`
  }
}

/** Names of trips that name a place which does not exist. */
async function dangling(store: Store): Promise<readonly string[]> {
  const found: string[] = []
  const { items } = await store.list(places, { limit: 10_000, total: 'none' })
  const known = new Set(items.map(({ name }) => name))
  for (const { name } of (await store.list(trips, { limit: 10_000, total: 'none' })).items) {
    const of = name.split('.')[1] ?? ''
    if (!known.has(of)) found.push(name)
  }
  return found
}

export function referenceContract(engine: StoreEngine): void {
  describe(`${engine.name}, references:`, () => {
    test('a value must name an object that exists and is not being deleted; an object may name itself', async () => {
      await using on = await opened(engine)
      await on.store.write([place('a'), place('b'), place('held', true)])
      await on.write(removal(places, 'held'))
      const cases: readonly (readonly [Trip, string])[] = [
        [{}, 'done'],
        [{ to: 'a' }, 'done'],
        [{ to: 'x' }, 'n: no to x'],
        [{ to: 'held' }, 'n: no to held'],
        [{ via: ['a', 'b'] }, 'done'],
        [{ to: 'a', via: ['a', 'x'] }, 'n: no via x'],
        [{ after: 'n' }, 'done'],
        [{ after: 'other' }, 'n: no after other'],
      ]
      for (const [given, outcome] of cases) {
        expect([given, await on.write(trip('n', given))]).toEqual([given, outcome])
        if (outcome === 'done') await on.store.write([removal(trips, 'n')])
      }
    })

    test('an object that is a value of another cannot be removed or declared deleted', async () => {
      await using on = await opened(engine)
      await on.store.write([place('a'), place('b'), place('c', true), place('d')])
      await on.store.write([trip('t', { to: 'a', via: ['b', 'c'] })])
      for (const name of ['a', 'b', 'c']) expect(await on.write(removal(places, name))).toBe(`${name}: referred`)
      expect(await on.write(removal(places, 'd'))).toBe('done')
      await on.store.write([trip('u', { after: 't' }), trip('self', { after: 'self' })])
      expect(await on.write(removal(trips, 't'))).toBe('t: referred')
      expect(await on.write(removal(trips, 'self'))).toBe('done')
      await on.store.write([removal(trips, 'u')])
      await on.store.write([removal(trips, 't')])
      for (const name of ['a', 'b', 'c']) expect(await on.write(removal(places, name))).toBe('done')
    })

    test('an update adds a value under a guard, and its old value no longer counts', async () => {
      await using on = await opened(engine)
      await on.store.write([place('a'), place('b')])
      await on.store.write([trip('t', { to: 'a' })])
      const move = async (to: string) => {
        const stored = await on.store.get(trips, 't')
        if (!stored) throw new Error('the trip is missing')
        const { uid, version } = stored
        const { content } = trip('t', { to })
        const operation = {
          type: 'update' as const,
          model: trips,
          name: 't',
          expected: { uid, version },
          newGeneration: true,
        }
        const data = Buffer.from(`to ${to}`)
        return outcomeOf(on.store, [{ ...operation, content: { ...content, data } }], {
          guards: [{ is: 'target', model: places, name: to }],
        })
      }
      expect(await move('x')).toBe('target')
      expect(await move('b')).toBe('done')
      expect(await on.write(removal(places, 'b'))).toBe('b: referred')
      expect(await on.write(removal(places, 'a'))).toBe('done')
    })

    test('in order, a target may be created before its referrer and deleted after it, not the reverse', async () => {
      await using on = await opened(engine)
      const inOrder = (...operations: readonly WriteOperation[]) => outcomeOf(on.store, operations, { inOrder: true })
      expect(await inOrder(trip('t', { to: 'a' }), place('a'))).toBe('t: no to a')
      expect(await inOrder(place('a'), trip('t', { to: 'a' }))).toBe('done')
      expect(await inOrder(removal(places, 'a'), removal(trips, 't'))).toBe('a: referred')
      expect(await inOrder(removal(trips, 't'), removal(places, 'a'))).toBe('done')
      expect(await inOrder(trip('b', { after: 'a' }), trip('a', {}))).toBe('b: no after a')
      expect(await inOrder(trip('a', {}), trip('b', { after: 'a' }))).toBe('done')
      expect(await inOrder(removal(trips, 'a'), removal(trips, 'b'))).toBe('a: referred')
      expect(await inOrder(removal(trips, 'b'), removal(trips, 'a'))).toBe('done')
    })

    test('a reference that is declared later counts the values that are stored; one that is dropped counts no more', async () => {
      await using on = await opened(engine)
      const plain = { ...trips, edition: 1, indexes: trips.indexes.map(({ name, multi = false }) => ({ name, multi })) }
      await on.store.openModel(plain)
      await on.store.write([place('a')])
      await on.store.write([trip('t', { to: 'a', via: ['x'] }, 1)])
      await on.store.openModel({ ...trips, edition: 2 })
      expect(await on.write(removal(places, 'a'))).toBe('a: referred')
      await on.store.openModel({ ...plain, edition: 3 })
      expect(await on.write(removal(places, 'a'))).toBe('done')
    })

    test('while an index is built, no target is deleted', async () => {
      await using on = await opened(engine)
      await on.store.openModel({ ...noTrips, edition: 1 })
      await on.store.write([place('a')])
      await on.store.write([trip('t', {}, 1)])
      await on.store.openModel({ ...trips, edition: 2 })
      await expect(on.store.write([removal(places, 'a')])).rejects.toMatchObject({ reason: 'IndexBuilding' })
      const evaluate = async (objects: readonly unknown[]) =>
        objects.map(() => ({ labels: {}, single: { to: 'a' }, multi: {} }))
      await on.store.buildIndexes(trips, { evaluate })
      expect(await on.write(removal(places, 'a'))).toBe('a: referred')
      await on.store.write([removal(trips, 't')])
      expect(await on.write(removal(places, 'a'))).toBe('done')
    })

    test('many objects are read by name, up to a number of bytes', async () => {
      await using on = await opened(engine)
      await on.store.write(['c', 'a', 'b'].map((name) => create({ name, text: 'x'.repeat(10) }, places)))
      const read = async (names: readonly string[], maxBytes: number) => {
        const { items, isPartial } = await on.store.getMany(places, names, maxBytes)
        return [...items.map(({ name }) => name), isPartial]
      }
      expect(await read(['c', 'x', 'a', 'b', 'a', 'nul\0'], 21)).toEqual(['a', 'b', 'c', false])
      expect(await read(['c', 'a', 'b'], 20)).toEqual(['a', 'b', true])
      expect(await read(['x', 'b'], 10)).toEqual(['b', false])
      expect(await read(['b'], 0)).toEqual([true])
      expect(await read([], 10)).toEqual([false])
    })

    test('objects are counted by the values of an index, up to a limit', async () => {
      await using on = await opened(engine)
      await on.store.write(['a', 'b', 'none'].map((name) => place(name)))
      await on.store.write([1, 2, 3].map((at) => trip(`t${at}`, { to: at < 3 ? 'a' : 'b', via: ['a', 'b'] })))
      const count = async (index: string, values: readonly string[], limit: number) =>
        Object.fromEntries(await on.store.countValues(trips, { index, values, limit }))
      expect(await count('to', ['a', 'b', 'none'], 10)).toEqual({ a: 2, b: 1, none: 0 })
      expect(await count('via', ['a', 'none'], 2)).toEqual({ a: 2, none: 0 })
      expect(await count('to', [], 2)).toEqual({})
      await on.store.openModel({ ...noTrips, edition: 1 })
      await on.store.openModel({ ...trips, edition: 2 })
      await expect(count('to', ['a'], 10)).rejects.toMatchObject({ reason: 'IndexBuilding' })
      if (!engine.shared) return
      // On another replica, the column belongs to another index.
      const other = await on.fixture.reopen()
      for (const model of [places, { ...trips, edition: 2 }]) await other.openModel(model)
      await on.store.openModel({ ...trips, edition: 3, indexes: [{ name: 'else' }] })
      await on.store.buildIndexes(trips, {
        evaluate: async (objects) => objects.map(() => ({ labels: {}, single: { else: 'a' }, multi: {} })),
      })
      await expect(other.countValues(trips, { index: 'to', values: ['a'], limit: 9 })).rejects.toThrow(StaleModel)
      await other[Symbol.asyncDispose]()
    })

    test('values that name no object are counted', async () => {
      await using on = await opened(engine)
      await on.store.openModel({ ...noTrips, edition: 1 })
      await on.store.write(['a', 'b'].map((name) => place(name)))
      await on.store.write([1, 2, 3].map((at) => trip(`t${at}`, {}, 1)))
      await on.store.openModel({ ...trips, edition: 2 })
      await expect(on.store.countDangling(trips, 'to')).rejects.toMatchObject({ reason: 'IndexBuilding' })
      const values = ['a', 'none', undefined]
      const evaluate = async (objects: readonly unknown[]) =>
        objects.map((_, at) => ({ labels: {}, single: { to: values[at] }, multi: { via: ['b', `x${at}`] } }))
      await on.store.buildIndexes(trips, { evaluate })
      expect(await on.store.countDangling(trips, 'to')).toBe(1)
      expect(await on.store.countDangling(trips, 'via')).toBe(3)
    })

    test('a model that another one refers to cannot be closed', async () => {
      await using on = await opened(engine)
      expect(await on.store.closeModel(places)).toBe(false)
      expect(await on.store.closeModel(trips)).toBe(true)
      expect(await on.store.closeModel(places)).toBe(true)
    })

    test('a model cannot refer to one that was never opened', async () => {
      await using fixture = await engine.makeFixture()
      await expect(async () => fixture.store.openModel(trips)).rejects.toThrow('which is not open')
    })

    test('creates and deletions that race leave no value without its object', async () => {
      await using on = await opened(engine)
      const other = engine.shared ? await on.fixture.reopen() : on.store
      if (engine.shared) for (const model of [places, trips]) await other.openModel(model)
      for (let round = 0; round < 30; round++) {
        const name = `p${round}`
        await on.store.write([place(name, round % 3 === 0)])
        const creating = Array.from({ length: 6 }, (_, at) => {
          const values = at % 2 === 0 ? { to: name } : { via: [name] }
          return outcomeOf(at % 3 === 0 ? on.store : other, [trip(`t${round}-${at}.${name}`, values)])
        })
        const removing = outcomeOf(other, [removal(places, name)])
        const outcomes = await Promise.all(creating)
        const isRemoved = (await removing) === 'done'
        expect([isRemoved, outcomes.includes('done')]).not.toEqual([true, true])
      }
      expect(await dangling(on.store)).toEqual([])
      if (other !== on.store) await other[Symbol.asyncDispose]()
    })
  })
}
