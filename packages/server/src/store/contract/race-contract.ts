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

    test('and a conflict tells the truth: retried from what it carries, all of them get through', async () => {
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

    test('for a batch whose names come in opposite orders, without a deadlock', async () => {
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
  })
}

/** What became of each: the winners first, then the kinds of conflict. */
async function race(attempts: readonly (() => Promise<unknown>)[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(attempts.map((attempt) => attempt()))
  const kinds = outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'won'
    if (outcome.reason instanceof WriteConflict) return outcome.reason.kind
    throw outcome.reason
  })
  return kinds.toSorted((a, b) => Number(b === 'won') - Number(a === 'won'))
}
