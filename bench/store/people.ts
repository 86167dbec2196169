import type { Pool } from 'pg'
import { indexKey } from '../../packages/server/src/store/index-key.ts'
import type { ObjectContent } from '../../packages/server/src/store/store.ts'
import { cliffSql } from './cliffs.ts'

/**
 * The model of the measurements: three single-value indexes, one unique, one multi-value, three labels, some 580 bytes of
 * JSON. Value distributions: 1,000 cities, 100 ages, 500 tags of which each object has three, teams of a third each.
 */
export const people = {
  group: 'bench.example',
  plural: 'people',
  indexes: [
    { name: 'city' },
    { name: 'age' },
    { name: 'score' },
    { name: 'email', unique: true },
    { name: 'tags', multi: true },
  ],
  composites: [[{ index: 'city' }, { index: 'age', descending: true }]],
}

export const cityOf = (at: number): string => `city-${String((at * 7919) % 1000).padStart(4, '0')}`
export const ageOf = (at: number): number => (at * 31) % 100
export const tagsOf = (at: number): string[] => [
  `tag-${at % 500}`,
  `tag-${(at * 3 + 1) % 500}`,
  `tag-${(at * 7 + 2) % 500}`,
]
export const teamOf = (at: number): string => `team-${at % 3}`

export function numberKey(value: number): string {
  const result = indexKey('number', value)
  if ('fault' in result) throw new Error(result.fault)
  return result.key
}

export function dataOf(at: number, note = ''): Buffer {
  return Buffer.from(
    JSON.stringify({
      spec: { city: cityOf(at), age: ageOf(at), email: `p${at}@example.com`, tags: tagsOf(at), about: 'x'.repeat(380) },
      status: { note },
    }),
  )
}

export function contentOf(at: number, { note = '', cityFrom = at } = {}): ObjectContent {
  const tags = [...new Set(tagsOf(at))].toSorted()
  return {
    data: dataOf(cityFrom, note),
    storedAs: 'v1',
    held: false,
    indexed: {
      labels: { team: teamOf(at), tier: at % 100 === 0 ? 'gold' : 'free', zone: `z${at % 7}` },
      single: {
        city: cityOf(cityFrom),
        age: numberKey(ageOf(at)),
        score: numberKey(at % 10_000),
        email: `p${at}@example.com`,
      },
      multi: { tags },
    },
  }
}

/** Loads both tables with the same objects, directly; the measurements follow. */
export async function load(pool: Pool, table: string, count: number): Promise<void> {
  const chunk = 10_000
  for (let from = 0; from < count; from += chunk) {
    const rows = Array.from({ length: Math.min(chunk, count - from) }, (_, at) => from + at)
    const contents = rows.map((at) => contentOf(at))
    const ids = rows.map((at) => ((1_700_000_000_000n + BigInt(at)) << 20n).toString())
    const keys = (name: string) => contents.map(({ indexed }) => indexed.single[name] ?? null)
    const sets = contents.map(({ indexed }) => JSON.stringify({ 5: indexed.multi['tags'] }))
    await pool.query(
      `INSERT INTO ${table} (id, name, uid, version, generation, index_generation, held, stored_as, labels, sets, ix_1, ix_2, ix_3, ix_4, data)
       SELECT id, name, gen_random_uuid(), 0, 1, 1, false, 'v1', labels, sets, a, b, c, d, data
       FROM unnest($1::bigint[], $2::text[], $3::jsonb[], $4::jsonb[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bytea[])
         AS t (id, name, labels, sets, a, b, c, d, data)`,
      [
        ids,
        rows.map((at) => `p-${at}`),
        contents.map(({ indexed }) => JSON.stringify(indexed.labels)),
        sets,
        keys('city'),
        keys('age'),
        keys('score'),
        keys('email'),
        contents.map(({ data }) => data),
      ],
    )
    if (from % 100_000 === 0) console.log(`  loaded ${from} of ${count}`)
  }
  await pool.query(`
    INSERT INTO ${table}_l (key, value, id) SELECT l.key, l.value, m.id FROM ${table} m, jsonb_each_text(m.labels) l ORDER BY 1, 2, 3;
    INSERT INTO ${table}_s5 (value, id) SELECT v, m.id FROM ${table} m, jsonb_array_elements_text(m.sets -> '5') v ORDER BY 1, 2;
    ${handTable}
    INSERT INTO hand (id, name, uid, version, city, age, score, email, tags, team, tier, zone, data)
    SELECT id, name, uid, 0, ix_1, ix_2, ix_3, ix_4, ARRAY(SELECT jsonb_array_elements_text(sets -> '5')),
      labels ->> 'team', labels ->> 'tier', labels ->> 'zone', data FROM ${table};
    ${handIndexes}`)
  await pool.query(cliffSql)
  await pool.query('VACUUM ANALYZE')
  await pool.query('CHECKPOINT')
}

/** Additional models of 10,000 objects each. */
export const others = Array.from({ length: 20 }, (_, at) => ({ ...people, plural: `others${at + 1}` }))
export const otherCount = 10_000

/** Copies the given number of objects of the first model into each of the others, whose tables are `m_2` and so on. */
export async function loadOthers(pool: Pool): Promise<void> {
  const columns =
    'id, name, uid, version, generation, index_generation, held, stored_as, labels, sets, ix_1, ix_2, ix_3, ix_4, data'
  for (const [at] of others.entries()) {
    const table = `m_${at + 2}`
    await pool.query(`
      INSERT INTO ${table} (${columns}) SELECT ${columns} FROM m_1 ORDER BY id DESC LIMIT ${otherCount};
      INSERT INTO ${table}_l (key, value, id) SELECT l.key, l.value, m.id FROM ${table} m, jsonb_each_text(m.labels) l ORDER BY 1, 2, 3;
      INSERT INTO ${table}_s5 (value, id) SELECT v, m.id FROM ${table} m, jsonb_array_elements_text(m.sets -> '5') v ORDER BY 1, 2;`)
  }
  await pool.query('VACUUM ANALYZE')
}

/** The baseline: a hand-written table for exactly these queries. */
const handTable = `
  CREATE TABLE hand (
    id bigint PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, uid uuid NOT NULL, version bigint NOT NULL,
    city text COLLATE "C", age text COLLATE "C", score text COLLATE "C", email text COLLATE "C",
    tags text[], team text COLLATE "C", tier text COLLATE "C", zone text COLLATE "C", data bytea NOT NULL
  ) WITH (fillfactor = 85);
  CREATE TABLE hand_log (id bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY, op "char", name text, uid uuid, version bigint, data bytea);`
const handIndexes = `
  CREATE INDEX ON hand (city, age, id);
  CREATE INDEX ON hand (age, id);
  CREATE INDEX ON hand (score, id);
  CREATE UNIQUE INDEX ON hand (email);
  CREATE INDEX ON hand USING gin (tags);
  CREATE INDEX ON hand (team, id);
  CREATE INDEX ON hand (tier, id);`
