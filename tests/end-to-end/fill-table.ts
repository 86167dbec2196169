import { Client } from 'pg'

export interface Filling {
  /** The table of a model whose first index, if any, is `spec.title`. */
  readonly plural: string
  readonly storedAs: string
  readonly count: number
  readonly isIndexed: boolean
}

/** Inserts very many objects into PostgreSQL without the write path, for benchmarks. */
export async function fillTable(url: string, { plural, storedAs, count, isIndexed }: Filling): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ id: number }>('SELECT id FROM models WHERE plural = $1', [plural])
  const table = `m_${rows[0]?.id}`
  const title = `'Number ' || lpad(n::text, 7, '0')`
  await client.query(
    `INSERT INTO ${table} (id, name, uid, version, generation, index_generation, held, stored_as, labels, sets, data${isIndexed ? ', ix_1' : ''})
     SELECT (1700000000000 + n)::bigint << 20, 'one-' || n, gen_random_uuid(), 0, 1, 1, false, $2, '{}', '{}',
       convert_to('},"spec":{"title":"' || ${title} || '"}}', 'UTF8')${isIndexed ? `, ${title}` : ''}
     FROM generate_series(1, $1::bigint) n`,
    [count, storedAs],
  )
  await client.query(`VACUUM ANALYZE ${table}`)
  await client.end()
}
