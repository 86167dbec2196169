import { describe, expect, test } from 'vitest'
import { WriteConflict } from '../write-conflict.ts'
import { allNames, create, mustGet, openFixture, people, update, type StoreEngine } from './fixture.ts'

const racers = 32

export function raceContract(engine: StoreEngine): void {
  describe(`${engine.name}, of ${racers} racing writers one wins:`, () => {
    const cases = [
      ['for a name', (at: number) => create({ name: 'a', text: String(at) }), 'exists'],
      ['for a unique value', (at: number) => create({ name: `n${at}`, email: 'e' }), 'duplicate'],
      [
        'for a value of a unique set',
        (at: number) => create({ name: `n${at}`, badges: [`own-${at}`, 'shared'] }),
        'duplicate',
      ],
    ] as const
    for (const [what, operation, kind] of cases) {
      test(what, async () => {
        await using fixture = await openFixture(engine)
        const kinds = await race(Array.from({ length: racers }, (_, at) => () => fixture.store.write([operation(at)])))
        expect(kinds).toEqual(['won', ...Array.from({ length: racers - 1 }, () => kind)])
        expect(await allNames(fixture.store)).toHaveLength(1)
      })
    }

    test('for a version', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const first = await mustGet(fixture.store, 'a')
      const kinds = await race(
        Array.from({ length: racers }, (_, at) => () => fixture.store.write([update(first, { text: String(at) })])),
      )
      expect(kinds).toEqual(['won', ...Array.from({ length: racers - 1 }, () => 'version')])
      expect(await mustGet(fixture.store, 'a')).toMatchObject({ version: 1 })
    })

    test('and a conflict carries the stored object: retries from it all succeed', async () => {
      await using fixture = await openFixture(engine)
      await fixture.store.write([create('a')])
      const first = await mustGet(fixture.store, 'a')
      const insist = async (at: number) => {
        for (let seen = first; ;) {
          try {
            return await fixture.store.write([
              update(seen, { text: `${at}`, tags: [`${at}`], labels: { by: `${at}` } }),
            ])
          } catch (error) {
            if (!(error instanceof WriteConflict) || !error.stored) throw error
            expect(error.stored.version).toBeGreaterThan(seen.version)
            seen = error.stored
          }
        }
      }
      await Promise.all(Array.from({ length: 12 }, (_, at) => insist(at)))
      const last = await mustGet(fixture.store, 'a')
      expect(last.version).toBe(12)
      const by = String(last.data)
      const found = await fixture.store.list(people, {
        limit: 2,
        where: [
          { field: 'tags', is: { op: 'present' } },
          { label: 'by', is: { op: '=', value: by } },
          { field: 'tags', is: { op: '=', value: by } },
        ],
      })
      expect(found.items).toHaveLength(1)
    })

    test('for batches with names in opposite orders, without a deadlock', async () => {
      await using fixture = await openFixture(engine)
      const names = Array.from({ length: 40 }, (_, at) => `n${at}`)
      const kinds = await race(
        Array.from({ length: 16 }, (_, at) => {
          const batch = (at % 2 === 0 ? names : names.toReversed()).map((name) => create(name))
          return () => fixture.store.write(batch)
        }),
      )
      expect(kinds.filter((kind) => kind === 'won')).toHaveLength(1)
      expect(kinds.filter((kind) => kind === 'exists')).toHaveLength(15)
    })

    test('mixed batches over the same objects all succeed in turn without a deadlock', async () => {
      await using fixture = await openFixture(engine)
      const names = ['a', 'b', 'c', 'd']
      await fixture.store.write(names.map((name) => create(name)))
      const mixed = async (lane: number) => {
        for (let round = 0; round < 12; round++) {
          const stored = await Promise.all(names.map((name) => fixture.store.get(people, name)))
          const operations = names.map((name, at) => {
            const object = stored[at]
            if (!object) return create(name)
            return (at + lane + round) % 2 === 0
              ? update(object, { text: `${lane} ${round}` })
              : ({ type: 'delete', model: people, name } as const)
          })
          await fixture.store.write(operations).catch((error: unknown) => {
            if (!(error instanceof WriteConflict)) throw error
          })
        }
      }
      await Promise.all(Array.from({ length: 8 }, (_, lane) => mixed(lane)))
      expect((await allNames(fixture.store)).length).toBeLessThanOrEqual(names.length)
    })

    test('or deletes objects that others update, and leaves nothing behind', async () => {
      await using fixture = await openFixture(engine)
      const { store } = fixture
      const rounds = 60
      const lane = async (at: number) => {
        for (let round = 0; round < rounds; round++) {
          const name = `hot-${round % 2}`
          const value = `${at}.${round}`
          const content = { labels: { by: value }, tags: [value], city: value }
          try {
            const stored = await store.get(people, name)
            if (at % 2 === 0) await store.write([{ type: 'delete', model: people, name }])
            else
              await store.write([stored ? update(stored, { text: value, ...content }) : create({ name, ...content })])
          } catch (error) {
            if (!(error instanceof WriteConflict)) throw error
          }
        }
      }
      await Promise.all(Array.from({ length: 8 }, (_, at) => lane(at)))
      const { items } = await store.list(people, { limit: 9 })
      for (const where of [
        [{ label: 'by', is: { op: 'present' } }],
        [{ field: 'tags', is: { op: 'present' } }],
      ] as const) {
        const found = await store.list(people, { limit: 9, where, total: 'exact' })
        expect(found.total?.count).toBe(items.length)
      }
    })

    test('or, when two batches swap unique values, both succeed or get a conflict', async () => {
      await using fixture = await openFixture(engine)
      const attempts = Array.from({ length: 12 }, (_, at) => () => {
        const [first, second] = at % 2 === 0 ? ['x', 'y'] : ['y', 'x']
        return fixture.store.write([
          create({ name: `a${at}`, email: first }),
          create({ name: `b${at}`, email: second }),
        ])
      })
      const kinds = await race(attempts)
      expect(kinds).toEqual(['won', ...Array.from({ length: 11 }, () => 'duplicate')])
    })
  })
}

/** The outcomes: winners first, then the kinds of conflict. */
async function race(attempts: readonly (() => Promise<unknown>)[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(attempts.map((attempt) => attempt()))
  const kinds = outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'won'
    if (outcome.reason instanceof WriteConflict) return outcome.reason.kind
    throw outcome.reason
  })
  return kinds.toSorted((a, b) => Number(b === 'won') - Number(a === 'won'))
}
