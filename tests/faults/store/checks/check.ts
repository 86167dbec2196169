import type { ClientBase } from 'pg'

/** A query that returns the faulty rows. */
export interface Check {
  /** Meaning of a returned row. */
  readonly says: string
  readonly sql: string
}

/** Number of faulty rows that are shown; all are counted. */
const shownRows = 3

/** One sentence for each check with faulty rows. */
export async function findFaults(client: ClientBase, checks: readonly Check[]): Promise<readonly string[]> {
  const faults: string[] = []
  for (const { says, sql } of checks) {
    const { rows } = await client.query<{ total: string; row: unknown }>(
      `SELECT count(*) OVER () AS total, to_jsonb(found) AS row FROM (${sql}) found LIMIT ${shownRows}`,
    )
    const [first] = rows
    if (first) faults.push(`${says}: ${first.total}, such as ${rows.map(({ row }) => JSON.stringify(row)).join(' ')}`)
  }
  return faults
}
