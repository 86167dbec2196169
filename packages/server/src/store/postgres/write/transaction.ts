import type { ClientBase, Pool } from 'pg'
import { withConnection } from '../connection/with-connection.ts'

/**
 * Maximum idle time within a transaction. Otherwise a suspended process would keep its locks, including the fence of a lease,
 * for as long as it is suspended. Set for each transaction: a pooler does not pass connection settings on.
 */
const mostIdle = '5s'

/** Commits what `work` did; rolls back when `work` throws, and always for a dry run. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: ClientBase) => Promise<T>,
  end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
): Promise<T> {
  return withConnection(pool, async (client, doubt) => {
    try {
      await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '${mostIdle}'`)
      const result = await work(client)
      await client.query(end)
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(doubt)
      throw error
    }
  })
}
