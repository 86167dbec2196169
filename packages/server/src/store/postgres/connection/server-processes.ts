import type { Pool, PoolClient } from 'pg'

/** The server processes of the connections of a new pool. */
export function serverProcesses(pool: Pool): ReadonlySet<number> {
  const processes = new Set<number>()
  pool.on('connect', (client) => processes.add(processOf(client)))
  pool.on('remove', (client) => processes.delete(processOf(client)))
  return processes
}

/** The driver's types leave it out. */
function processOf(client: PoolClient): number {
  return (client as PoolClient & { readonly processID: number }).processID
}
