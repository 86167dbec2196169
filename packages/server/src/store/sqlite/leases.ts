import { ApiError } from '@pergola/api'
import type SqliteDatabase from 'better-sqlite3'
import type { Lease, Store } from '../store.ts'

export interface Leases {
  acquire(name: string, options: LeaseOptions): Lease | undefined
  release(lease: Lease): void
  held(prefix: string): readonly string[]
  /** Throws `FenceLost` unless the lease is held. Call it in the transaction of the fenced write. */
  assertHeld(lease: Lease): void
}

type LeaseOptions = Parameters<Store['acquireLease']>[1]

interface LeaseRow {
  readonly holder: string | null
  readonly token: number
  readonly expires_at: number
}

export function createLeases(database: SqliteDatabase.Database): Leases {
  const select = database.prepare<[string], LeaseRow>('SELECT holder, token, expires_at FROM leases WHERE name = ?')
  const put = database.prepare<[LeaseRow & { readonly name: string }]>(
    `INSERT INTO leases (name, holder, token, expires_at) VALUES (@name, @holder, @token, @expires_at)
     ON CONFLICT DO UPDATE SET holder = @holder, token = @token, expires_at = @expires_at`,
  )
  const free = database.prepare<[string, number]>('UPDATE leases SET holder = NULL WHERE name = ? AND token = ?')
  const held = database.prepare<[string, number], { readonly name: string }>(
    'SELECT name FROM leases WHERE instr(name, ?) = 1 AND holder IS NOT NULL AND expires_at > ? ORDER BY name',
  )
  const acquire = database.transaction((name: string, { holder, ttlMs }: LeaseOptions) => {
    const now = Date.now()
    const row = select.get(name)
    const heldBy = row && row.expires_at > now ? row.holder : null
    if (heldBy !== null && heldBy !== holder) return undefined
    const token = (row?.token ?? 0) + (heldBy === holder ? 0 : 1)
    put.run({ name, holder, token, expires_at: now + ttlMs })
    return { name, token }
  })
  return {
    acquire: (name, options) => acquire.immediate(name, options),
    release: ({ name, token }) => {
      free.run(name, token)
    },
    held: (prefix) => held.all(prefix, Date.now()).map(({ name }) => name),
    assertHeld: ({ name, token }) => {
      const row = select.get(name)
      // An expired lease still fences until another holder takes it over.
      if (row?.token === token && row.holder !== null) return
      throw new ApiError('FenceLost', `the lease "${name}" was released or taken over; stop and acquire it again`)
    },
  }
}
