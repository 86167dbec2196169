import { ApiError } from '@pergola/api'
import type { ClientBase, Pool } from 'pg'
import type { HeldLease, Lease, LeaseOptions } from '../store.ts'
import { inTransaction } from './write/transaction.ts'

export interface LeaseParts {
  readonly pool: Pool
  /** The id of the replica that this process is, recorded with its leases. */
  readonly replica: string | undefined
}

/** Uses the database's clock, so that replicas need not agree on the time. */
export async function acquireLease(
  { pool, replica }: LeaseParts,
  name: string,
  { holder, ttlMs, about }: LeaseOptions,
): Promise<Lease | undefined> {
  // Nearly all callers either hold the lease or wait for another holder, once a second each: they need no transaction.
  const { rows: found } = await pool.query<{ token: string | null }>({
    name: 'renew lease',
    text: renewSql,
    values: [name, holder, ttlMs, about],
  })
  const [held] = found
  if (held) return held.token === null ? undefined : { name, token: Number(held.token) }
  return inTransaction(pool, async (client) => {
    await client.query(
      `INSERT INTO leases (name, holder, token, expires_at) VALUES ($1, '', 0, '-infinity') ON CONFLICT DO NOTHING`,
      [name],
    )
    const { rows } = await client.query<{ holder: string; token: string; free: boolean }>(
      'SELECT holder, token, expires_at < clock_timestamp() AS free FROM leases WHERE name = $1 FOR UPDATE',
      [name],
    )
    const [row] = rows
    if (!row || (!row.free && row.holder !== holder)) return undefined
    const renewed = !row.free && row.holder === holder
    const token = Number(row.token) + (renewed ? 0 : 1)
    if (!renewed) await replaceToken(client, { name, token })
    await client.query(
      `UPDATE leases SET holder = $2, token = $3, expires_at = clock_timestamp() + $4 * interval '1 millisecond',
         replica = $5, about = $6
       WHERE name = $1`,
      [name, holder, token, ttlMs, replica, about],
    )
    return { name, token }
  })
}

/** Returns the token to the holder, a null token when another holds the lease, and no row when it is free. */
const renewSql = `
  WITH renewed AS (
    UPDATE leases SET expires_at = clock_timestamp() + $3 * interval '1 millisecond', about = $4
    WHERE name = $1 AND holder = $2 AND expires_at >= clock_timestamp() RETURNING token
  )
  SELECT token FROM renewed
  UNION ALL SELECT NULL FROM leases WHERE name = $1 AND holder <> $2 AND expires_at >= clock_timestamp()`

export async function releaseLease(pool: Pool, { name, token }: Lease): Promise<void> {
  await pool.query(
    `WITH gone AS (DELETE FROM lease_tokens WHERE name = $1 AND token = $2)
     UPDATE leases SET expires_at = '-infinity' WHERE name = $1 AND token = $2`,
    [name, token],
  )
}

export async function heldLeases(client: Pick<ClientBase, 'query'>, prefix: string): Promise<readonly HeldLease[]> {
  const { rows } = await client.query<{ name: string; replica: string | null; about: string | null }>(
    'SELECT name, replica, about FROM leases WHERE starts_with(name, $1) AND expires_at >= clock_timestamp() ORDER BY name',
    [prefix],
  )
  return rows.map(({ name, replica, about }) => ({
    name,
    ...(replica !== null && { replica }),
    ...(about !== null && { about }),
  }))
}

/** Locks the token's row until the transaction ends: with a plain read, a stale write committed 1.5 s after its successor. */
export async function holdFence(client: ClientBase, { name, token }: Lease): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM lease_tokens WHERE name = $1 AND token = $2 FOR KEY SHARE', [
    name,
    token,
  ])
  if (rowCount === 0) throw fenceLost({ name, token })
}

export function fenceLost({ name }: Lease): ApiError {
  return new ApiError('FenceLost', `the lease "${name}" was released or taken over; stop and acquire it again`)
}

/** The delete waits for every write in flight under the old token. */
async function replaceToken(client: ClientBase, { name, token }: Lease): Promise<void> {
  await client.query('DELETE FROM lease_tokens WHERE name = $1', [name])
  await client.query('INSERT INTO lease_tokens (name, token) VALUES ($1, $2)', [name, token])
}
