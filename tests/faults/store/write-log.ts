import { Client } from 'pg'
import type { Acknowledged } from './load.ts'
import { findFaults } from './checks/check.ts'

/** What callers were told of their writes, to be held against the log of the database. */
export interface WriteLog {
  readonly acknowledged: Acknowledged[]
  /** Marks of the writes that the store said it did not do. */
  readonly refused: string[]
}

/** Acknowledged writes are there, refused ones are not, and of a batch there is everything or nothing. */
export async function checkWrites(url: string, { acknowledged, refused }: WriteLog): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, application_name: 'checker' })
  await client.connect()
  try {
    await client.query(
      `CREATE TEMP TABLE acknowledged AS SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::"char"[]) AS a (uid, version, op)`,
      [
        acknowledged.map(({ uid }) => uid),
        acknowledged.map(({ version }) => version),
        acknowledged.map(({ op }) => op),
      ],
    )
    await client.query(`CREATE TEMP TABLE refused AS SELECT unnest($1::text[]) AS mark`, [refused])
    await client.query(
      `CREATE TEMP TABLE marked AS SELECT uid, data ->> 'mark' AS mark, (data ->> 'of')::int AS of
       FROM (SELECT uid, convert_from(data, 'UTF8')::jsonb AS data FROM changes) c`,
    )
    await client.query('ANALYZE acknowledged, refused, marked')
    return await findFaults(client, checks)
  } finally {
    await client.end()
  }
}

const checks = [
  {
    says: 'an acknowledged write is not in the log',
    // A declared deletion is a change like others to whoever asked, and one that ends it a removal like others.
    sql: `SELECT a.* FROM acknowledged a LEFT JOIN changes c
        ON c.uid = a.uid AND c.version = a.version AND translate(c.op::text, 're', 'md') = a.op::text
      WHERE c.id IS NULL`,
  },
  { says: 'a refused write was done', sql: 'SELECT DISTINCT mark FROM marked JOIN refused USING (mark)' },
  {
    says: 'a batch was done in part',
    sql: 'SELECT mark, of, count(DISTINCT uid) AS done FROM marked GROUP BY mark, of HAVING count(DISTINCT uid) <> of',
  },
]
