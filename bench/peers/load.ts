import { withClient } from '@pergola/test-servers'
import { listIndexSql, peopleSql } from './people.ts'

const chunk = 100_000

/** Fills `persons` of a peer; `columns` are what it wants besides the fields of a person, with their SQL. */
export function loadPersons(databaseUrl: string, columns: Readonly<Record<string, string>> = {}) {
  const names = ['name', 'email', 'age', 'tags', 'city']
  const into = [...names, ...Object.keys(columns)].join(', ')
  const values = [...names, ...Object.values(columns)].join(', ')
  return (from: number, to: number): Promise<void> =>
    withClient(databaseUrl, async (client) => {
      await client.query(listIndexSql)
      for (const [first, last] of chunksOf(from, to))
        await client.query(`INSERT INTO persons (${into}) SELECT ${values} FROM (${peopleSql}) people`, [first, last])
      await client.query('VACUUM ANALYZE persons')
    })
}

export function chunksOf(from: number, to: number): readonly (readonly [number, number])[] {
  const count = Math.ceil((to - from + 1) / chunk)
  return Array.from({ length: count }, (_, at) => [from + at * chunk, Math.min(to, from + (at + 1) * chunk - 1)])
}
