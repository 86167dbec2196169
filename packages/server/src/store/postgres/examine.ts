import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type Client } from 'pg'
import type { SchemaVersion } from '../schema-version.ts'
import { withBriefConnection } from './connection/brief-connection.ts'
import { heldLeases } from './leases.ts'
import { readSchema } from './migrate.ts'

/** Nothing else uses this channel, so no server reacts. */
const channel = 'pergola_doctor'
const echoMs = 1_000
const doubtfulStatement = /^(26000|42P05)$/

export interface DatabaseFacts {
  /** Such as `18.1`. */
  readonly version: string
  readonly schema: SchemaVersion
  /** Where tables would be; null while a configured schema does not exist. */
  readonly schemaName: string | null
  /** A standby, or a database that refuses writes. */
  readonly isReadOnly: boolean
  /** The clock of the database minus that of this machine. */
  readonly aheadMs: number
  readonly connections: { readonly used: number; readonly most: number }
}

type ExaminedRow = Record<'version' | 'read_only' | 'now' | 'used' | 'most', string> & {
  readonly place: string | null
}

/** Reads only: works on a database of any age, next to running servers. */
export async function examinePostgres(url: string, signal: AbortSignal): Promise<DatabaseFacts> {
  return withBriefConnection(url, signal, async (client) => {
    const schema = await readSchema(client)
    const sentAt = Date.now()
    const { rows } = await client.query<ExaminedRow>(
      `SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS read_only,
         current_schema() AS place,
         (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
         (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
         current_setting('max_connections') AS most`,
    )
    const answeredAt = Date.now()
    const { version = '', read_only = '', place = null, now, used, most } = rows[0] ?? {}
    const aheadMs = Math.max(0, Number(now) - answeredAt) || Math.min(0, Number(now) - sentAt)
    const connections = { used: Number(used), most: Number(most) }
    const [short = ''] = version.split(' ')
    return { version: short, schema, schemaName: place, isReadOnly: read_only === 'on', aheadMs, connections }
  })
}

/** Whether a notification sent through one address arrives at the other, as a server needs it. */
export async function notifiesBetween(
  { from, to }: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<boolean> {
  return withBriefConnection(to, signal, async (listener) => {
    const word = randomUUID()
    const heard = new Promise<boolean>((resolve) => {
      listener.on('notification', ({ payload }) => payload === word && resolve(true))
    })
    await listener.query(`LISTEN ${channel}`)
    await withBriefConnection(from, signal, (client) => client.query('SELECT pg_notify($1, $2)', [channel, word]))
    const isHeard = await Promise.race([heard, sleep(echoMs, false, { ref: false })])
    // The connection of a pooler goes back to others.
    await listener.query(`UNLISTEN ${channel}`)
    return isHeard
  })
}

/** Whether two clients can prepare statements of the same name: a pooler may hand both the same connection. */
export async function keepsNamedStatements(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    await withBriefConnection(url, signal, (first) =>
      withBriefConnection(url, signal, (second) => askInTurns([first, second])),
    )
    return true
  } catch (error) {
    if (error instanceof DatabaseError && doubtfulStatement.test(error.code ?? '')) return false
    throw error
  }
}

/**
 * Several times, because the connections of a pooler may be busy with others; each time with another name, because two
 * connections that both know a name serve both clients.
 */
async function askInTurns(clients: readonly Client[]): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const name = `doctor ${randomUUID()}`
    try {
      for (const client of clients) await client.query({ name, text: 'SELECT 1' })
    } finally {
      // The connection of a pooler lasts longer; elsewhere there is nothing to remove.
      for (const client of clients) await client.query(`DEALLOCATE "${name}"`).catch(() => {})
    }
  }
}

/** Names of the leases that are held now. Throws on a database without our tables. */
export async function leaseNames(url: string, prefix: string, signal: AbortSignal): Promise<readonly string[]> {
  return withBriefConnection(url, signal, async (client) => (await heldLeases(client, prefix)).map(({ name }) => name))
}
