import type { ClientBase } from 'pg'

/** A question to the database whose answer is empty when all is well. */
export interface Check {
  /** What a row of the answer means. */
  readonly says: string
  readonly sql: string
}

/** Shown of the rows that a check finds; all are counted. */
const shownRows = 3

/** A sentence for each check that found something. */
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
