import type { ClientBase, Pool } from 'pg'
import { withConnection } from '../connection/with-connection.ts'

/**
 * How long the database waits for us in the middle of a transaction. A process that is stopped there would else keep its
 * locks, a lease's fence among them, for as long as it is stopped. Set for each transaction: a pooler passes no setting
 * of a connection on.
 */
const mostIdle = '5s'

/** Commits what `work` did, or rolls all of it back when it throws, or in any case when it is only tried. */
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
