import type { Pool, PoolClient } from 'pg'

/** Lends a connection of the pool. Closes it afterwards if `doubt` was called or the connection was lost. */
export async function withConnection<T>(
  pool: Pool,
  work: (client: PoolClient, doubt: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const doubt = (error: Error) => {
    broken = error
  }
  // The pool listens only to idle clients; without this listener, losing the connection would end the process.
  client.on('error', doubt)
  try {
    return await work(client, doubt)
  } finally {
    client.off('error', doubt)
    client.release(broken)
  }
}
