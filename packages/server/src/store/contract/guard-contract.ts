import { describe, expect, test } from 'vitest'
import { readCounter } from '../records/write-counters.ts'
import { GuardFailed } from '../guard-failed.ts'
import type { Guard, Store } from '../store.ts'
import { allNames, create, mustGet, openFixture, people, update, type StoreEngine } from './fixture.ts'
import { sql, statement } from '../sql.ts'

const there = (name: string, expected?: { uid?: string; version?: number }): Guard => {
  return { is: 'there', model: people, name, ...(expected && { expected }) }
}
const none = (tag: string): Guard => ({
  is: 'none',
  model: people,
  where: { field: 'tags', is: { op: '=', value: tag } },
})

/** An object that refers to another by a tag, created only if the other exists. */
const refer = (store: Store, name: string, to: string) =>
  store.write([create({ name, tags: [to] })], { guards: [there(to)] })
const removeUnreferred = (store: Store, name: string) =>
  store.write([{ type: 'delete', model: people, name }], { guards: [none(name)] })

const outcomeOf = (written: Promise<unknown>) =>
  written.then(
    () => 'done',
    (error: unknown) => (error instanceof GuardFailed ? 'refused' : Promise.reject(error as Error)),
  )

export function guardContract(engine: StoreEngine): void {
  describe(`${engine.name}, guarded writes:`, () => {
    test('a write succeeds while its required objects exist in the version that was read', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      await store.write([create('a')])
      const { uid, version } = await mustGet(store, 'a')
      const cases: readonly (readonly [guard: Guard, outcome: string])[] = [
        [there('a'), 'done'],
        [there('a', { uid }), 'done'],
        [there('a', { uid, version }), 'done'],
        [there('a', { version: version + 1 }), 'refused'],
        [there('a', { uid: create('x').uid }), 'refused'],
        [there('b'), 'refused'],
        [none('tag'), 'done'],
      ]
      for (const [at, [guard, outcome]] of cases.entries()) {
        expect(await outcomeOf(store.write([create(`n${at}`)], { guards: [guard] }))).toBe(outcome)
      }
      expect(await allNames(store)).toEqual(['a', 'n0', 'n1', 'n2', 'n6'])
    })

    test('of writes guarded by the same counter value one succeeds; unguarded writes always do', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const counted = (expected?: number): Guard => {
        return { is: 'counted', counter: 'order', ...(expected !== undefined && { expected }) }
      }
      const write = (name: string, ...guards: readonly Guard[]) =>
        outcomeOf(store.write([create(name)], { guards: [...guards] }))
      expect(await readCounter(store, 'order')).toBe(0)
      for (let round = 0; round < 5; round++) {
        const count = await readCounter(store, 'order')
        const names = Array.from({ length: 8 }, (_, at) => `r${round}-${at}`)
        const outcomes = await Promise.all(names.map((name) => write(name, counted(count))))
        expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
        expect(await readCounter(store, 'order')).toBe(count + 1)
      }
      expect(await Promise.all(['a', 'b', 'c'].map((name) => write(name, counted())))).toEqual(Array(3).fill('done'))
      expect(await readCounter(store, 'order')).toBe(8)
      // A write increments each counter once.
      expect(await write('d', counted(8), counted(), counted(8))).toBe('done')
      expect(await write('e', counted(9), counted(8))).toBe('refused')
      expect(await readCounter(store, 'order')).toBe(9)
      expect(await outcomeOf(store.write([create('f')], { guards: [counted(9)], dryRun: true }))).toBe('done')
      expect(await readCounter(store, 'order')).toBe(9)
    })

    test('forbidden objects are checked after the operations', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      expect(await outcomeOf(store.write([create({ name: 'a', tags: ['t'] })], { guards: [none('t')] }))).toBe(
        'refused',
      )
      await store.write([create({ name: 'b', tags: ['t'] })])
      const b = await mustGet(store, 'b')
      expect(await outcomeOf(store.write([update(b, { text: 'untagged', tags: [] })], { guards: [none('t')] }))).toBe(
        'done',
      )
      expect(await allNames(store)).toEqual(['b'])
    })

    test('additional statements are committed with the write or not at all', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const rows = async () => (await store[sql](statement('SELECT name FROM retired_names'))).length
      const also = (name: string) => [statement('INSERT INTO retired_names (name) VALUES ($1)', [name])]
      const taken = statement('SELECT name FROM retired_names WHERE name = $1', ['gone'])
      await store.write([create('a')], { also: also('gone') })
      expect(await rows()).toBe(1)
      const refused = store.write([create('b')], { also: also('more'), guards: [{ is: 'no row', statement: taken }] })
      expect(await outcomeOf(refused)).toBe('refused')
      await expect(store.write([create('a')], { also: also('more') })).rejects.toMatchObject({ kind: 'exists' })
      await store.write([create('c')], { also: also('more'), dryRun: true })
      expect(await rows()).toBe(1)
      expect(await allNames(store)).toEqual(['a'])
    })

    test('concurrent writes never leave a reference to a deleted object', async () => {
      await using fixture = await openFixture(engine)
      const other = engine.shared ? await fixture.reopen() : fixture.store
      if (engine.shared) await other.openModel(people)
      for (let round = 0; round < 20; round++) {
        const name = `target-${round}`
        await fixture.store.write([create(name)])
        const racing = Array.from({ length: 4 }, (_, at) => outcomeOf(refer(other, `${name}-by-${at}`, name)))
        const removed = outcomeOf(removeUnreferred(fixture.store, name))
        const referred = (await Promise.all(racing)).includes('done')
        expect([await removed, referred]).not.toEqual(['done', true])
        const left = await fixture.store.list(people, {
          where: [{ field: 'tags', is: { op: '=', value: name } }],
          limit: 9,
        })
        expect(left.items.length > 0).toBe((await fixture.store.get(people, name)) !== undefined && referred)
      }
    })

    test('of two deletions that each require the other object, one succeeds', async () => {
      await using fixture = await openFixture(engine)
      const other = engine.shared ? await fixture.reopen() : fixture.store
      if (engine.shared) await other.openModel(people)
      for (let round = 0; round < 20; round++) {
        const [a, b] = [`a-${round}`, `b-${round}`]
        await fixture.store.write([create(a), create(b)])
        const remove = (store: Store, name: string, witness: string) =>
          outcomeOf(store.write([{ type: 'delete', model: people, name }], { guards: [there(witness)] }))
        const outcomes = await Promise.all([remove(fixture.store, a, b), remove(other, b, a)])
        expect(outcomes.toSorted()).toEqual(['done', 'refused'])
      }
    })
  })
}
