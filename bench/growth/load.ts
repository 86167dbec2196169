import type { Pool } from 'pg'
import { indexKey } from '../../packages/server/src/store/index-key.ts'
import { cities } from '../http/people.ts'
import type { OpenModel } from '../http/stored-model.ts'

const chunk = 250_000
/** Objects with the same tag. */
export const withTag = 100
const ages = Array.from({ length: 100 }, (_, age) => {
  const key = indexKey('number', age)
  if ('fault' in key) throw new Error(key.fault)
  return key.key
})

/** Stores the people from one number to before another directly in the tables of the model, with one label and one tag each. */
export async function loadPeople(
  pool: Pool,
  { table }: OpenModel,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const slotOf = (name: string) => table.indexes.find((index) => index.name === name)?.slot
  const [city, age, email, tags] = ['spec.city', 'spec.age', 'spec.email', 'spec.tags'].map(slotOf)
  const columns = `id, name, uid, version, generation, index_generation, held, stored_as, labels, sets, ix_${city}, ix_${age}, ix_${email}, data`
  const name = `m_${table.id}`
  for (let at = from; at < to; at += chunk) {
    const range = [at, Math.min(at + chunk, to) - 1]
    await pool.query(
      `INSERT INTO ${name} (${columns})
       SELECT (1700000000000 + n) << 20, 'p-' || n, gen_random_uuid(), 0, 1, $3, false, 'v1',
         '{"example.com/tier": "free"}', jsonb_build_object('${tags}', jsonb_build_array('tag-' || n / ${withTag})),
         'city-' || n % ${cities}, ($4::text[])[n / ${cities} % 100 + 1], 'p' || n || '@example.com',
         convert_to(format(
           ',"labels":{"example.com/tier":"free"}},"spec":{"city":"city-%s","age":%s,"email":"p%s@example.com","tags":["tag-%s"],"about":"%s"}}',
           n % ${cities}, n / ${cities} % 100, n, n / ${withTag}, repeat('x', 300)), 'LATIN1')
       FROM generate_series($1::bigint, $2::bigint) n`,
      [...range, table.generation, ages],
    )
    const ids = `SELECT (1700000000000 + n) << 20 AS id, n FROM generate_series($1::bigint, $2::bigint) n`
    await pool.query(`INSERT INTO ${name}_l SELECT 'example.com/tier', 'free', id FROM (${ids}) t`, range)
    await pool.query(
      `INSERT INTO ${name}_s${tags} (value, id) SELECT 'tag-' || n / ${withTag}, id FROM (${ids}) t`,
      range,
    )
    console.log(`  ${(range[1] ?? 0) + 1} of ${to} objects`)
  }
  await pool.query(`VACUUM ANALYZE ${name}, ${name}_l, ${name}_s${tags}`)
  await pool.query('CHECKPOINT')
}
