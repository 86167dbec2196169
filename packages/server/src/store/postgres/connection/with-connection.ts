import type { Pool, PoolClient } from 'pg'

/** Lends a connection of the pool. One that `doubt` was called for, or that was lost meanwhile, is closed afterwards. */
export async function withConnection<T>(
  pool: Pool,
  work: (client: PoolClient, doubt: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const doubt = (error: Error) => {
    broken = error
  }
  // The pool listens only to idle clients; without a listener a connection that is lost now would end the process.
  client.on('error', doubt)
  try {
    return await work(client, doubt)
  } finally {
    client.off('error', doubt)
    client.release(broken)
  }
}
