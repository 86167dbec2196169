import { Client } from 'pg'
import type { Acknowledged } from './load.ts'
import { findFaults } from './checks/check.ts'

/** The outcomes of writes as reported to callers, to compare with the log of the database. */
export interface WriteLog {
  readonly acknowledged: Acknowledged[]
  /** Marks of rejected writes. */
  readonly refused: string[]
}

/** Acknowledged writes are in the log, rejected ones are not, and batches are atomic. */
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
    // A deletion that waits for finalizers is logged as a change, and the update that completes it as a deletion.
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
