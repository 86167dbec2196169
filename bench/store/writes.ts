import type { Pool } from 'pg'
import { uuidv7 } from '../../packages/server/src/base/uuid.ts'
import type { Store, StoredObject, UpdateOperation } from '../../packages/server/src/store/store.ts'
import type { Contestant } from '../measure/compete.ts'
import { ageOf, cityOf, contentOf, dataOf, numberKey, people, tagsOf, teamOf } from './people.ts'

export interface WriteBench {
  readonly name: string
  /** Highest multiple of the CPU of the baseline that we want. */
  readonly goal: number
  readonly ours: Contestant['operation']
  readonly hand: Contestant['operation']
}

/** Each kind of write, by the store and by a hand-written statement that also writes a log row. */
export function writeBenches(store: Store, pool: Pool, count: number): readonly WriteBench[] {
  const fresh = (at: number) => count + 1_000_000 + at
  const existing = (at: number) => (at * 7919) % count
  const lastFirst = () => {
    let next = count
    return () => --next
  }
  const [oursLeft, handLeft] = [lastFirst(), lastFirst()]
  return [
    {
      name: 'create',
      goal: 1.33,
      ours: (at) => createOurs(store, fresh(at)),
      hand: (at) => createHand(pool, fresh(at)),
    },
    {
      name: 'get',
      goal: 1.1,
      ours: (at) => store.get(people, `p-${existing(at)}`),
      hand: (at) => getHand(pool, existing(at)),
    },
    {
      name: 'update of an indexed value',
      goal: 1.33,
      ours: updateOurs(store, existing, (at) => contentOf(at, { cityFrom: at + 13 })),
      hand: updateHand(pool, existing, (at) => at + 13),
    },
    {
      name: 'status-only update',
      goal: 1.33,
      ours: updateOurs(store, existing, (at, round) => {
        return { ...contentOf(at, { note: `n${round}` }), indexed: 'kept' }
      }),
      hand: updateHand(pool, existing),
    },
    {
      name: 'delete',
      goal: 1.4,
      ours: () => store.write([{ type: 'delete', model: people, name: `p-${oursLeft()}` }]),
      hand: () => deleteHand(pool, handLeft()),
    },
  ]
}

export function createOurs(store: Store, at: number): Promise<unknown> {
  return store.write([
    { type: 'create', model: people, name: `p-${at}`, uid: uuidv7(Date.now()), content: contentOf(at) },
  ])
}

function createHand(pool: Pool, at: number): Promise<unknown> {
  return pool.query({
    name: 'hand create',
    text: `WITH written AS (
        INSERT INTO hand (id, name, uid, version, city, age, score, email, tags, team, tier, zone, data)
        VALUES (new_object_id(), $1, $2, 0, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING name, uid, version, data)
      INSERT INTO hand_log (op, name, uid, version, data) SELECT 'a', name, uid, version, data FROM written RETURNING id`,
    values: [
      `p-${at}`,
      uuidv7(Date.now()),
      cityOf(at),
      numberKey(ageOf(at)),
      numberKey(at % 10_000),
      `p${at}@example.com`,
      tagsOf(at),
      teamOf(at),
      'free',
      `z${at % 7}`,
      dataOf(at),
    ],
  })
}

function getHand(pool: Pool, at: number): Promise<unknown> {
  return pool.query({
    name: 'hand get',
    text: 'SELECT uid, version, data FROM hand WHERE name = $1',
    values: [`p-${at}`],
  })
}

/** Keeps versions in memory, so that only the write is measured, not a read. */
function updateOurs(
  store: Store,
  existing: (at: number) => number,
  change: (at: number, round: number) => UpdateOperation['content'],
) {
  const known = new Map<number, StoredObject>()
  return async (at: number) => {
    const target = existing(at)
    const stored = known.get(target) ?? (await store.get(people, `p-${target}`))
    if (!stored) return
    const [result] = await store.write([
      {
        type: 'update',
        model: people,
        name: stored.name,
        expected: { uid: stored.uid, version: stored.version },
        content: change(target, at),
        newGeneration: false,
        sameEntries: true,
      },
    ])
    if (result) known.set(target, result.object)
  }
}

function updateHand(pool: Pool, existing: (at: number) => number, newCity?: (at: number) => number) {
  const known = new Map<number, number>()
  return async (at: number) => {
    const target = existing(at)
    const row =
      known.get(target) ??
      Number(
        (
          await pool.query<{ version: string }>({
            name: 'hand version',
            text: 'SELECT version, uid, data FROM hand WHERE name = $1',
            values: [`p-${target}`],
          })
        ).rows[0]?.version ?? 0,
      )
    const city = newCity ? ', city = $4' : ''
    const values = [
      `p-${target}`,
      row,
      dataOf(newCity ? newCity(target) : target, `n${at}`),
      ...(newCity ? [cityOf(newCity(target))] : []),
    ]
    await pool.query({
      name: `hand update ${city}`,
      text: `WITH written AS (UPDATE hand SET version = version + 1, data = $3${city} WHERE name = $1 AND version = $2 RETURNING name, uid, version, data)
        INSERT INTO hand_log (op, name, uid, version, data) SELECT 'm', name, uid, version, data FROM written RETURNING id`,
      values,
    })
    known.set(target, row + 1)
  }
}

function deleteHand(pool: Pool, at: number): Promise<unknown> {
  return pool.query({
    name: 'hand delete',
    text: `WITH gone AS (DELETE FROM hand WHERE name = $1 RETURNING name, uid, version, data)
      INSERT INTO hand_log (op, name, uid, version, data) SELECT 'd', name, uid, version, data FROM gone RETURNING id`,
    values: [`p-${at}`],
  })
}
