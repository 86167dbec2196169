import type { ClientBase, Pool } from 'pg'

/** Commits what `work` did, or rolls all of it back when it throws. */
export async function inTransaction<T>(pool: Pool, work: (client: ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  // The pool listens only to idle clients; without a listener a connection that is lost now would end the process.
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(onError)
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}
