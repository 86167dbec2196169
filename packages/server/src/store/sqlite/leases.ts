import { ApiError } from '@pergola/api'
import type SqliteDatabase from 'better-sqlite3'
import type { HeldLease, Lease, LeaseOptions } from '../store.ts'

export interface Leases {
  acquire(name: string, options: LeaseOptions): Lease | undefined
  release(lease: Lease): void
  held(prefix: string): readonly HeldLease[]
  /** Throws `FenceLost` unless the lease is held. Call it in the transaction of the fenced write. */
  assertHeld(lease: Lease): void
}

interface LeaseRow {
  readonly holder: string | null
  readonly token: number
  readonly expires_at: number
}

interface HeldRow {
  readonly name: string
  readonly replica: string | null
  readonly about: string | null
}

/** `replica` is the id of this process, recorded with its leases. */
export function createLeases(database: SqliteDatabase.Database, replica: string | undefined): Leases {
  const select = database.prepare<[string], LeaseRow>('SELECT holder, token, expires_at FROM leases WHERE name = ?')
  const put = database.prepare<[LeaseRow & HeldRow]>(
    `INSERT INTO leases (name, holder, token, expires_at, replica, about)
     VALUES (@name, @holder, @token, @expires_at, @replica, @about)
     ON CONFLICT DO UPDATE SET holder = @holder, token = @token, expires_at = @expires_at, replica = @replica, about = @about`,
  )
  const free = database.prepare<[string, number]>('UPDATE leases SET holder = NULL WHERE name = ? AND token = ?')
  const held = database.prepare<[string, number], HeldRow>(
    'SELECT name, replica, about FROM leases WHERE instr(name, ?) = 1 AND holder IS NOT NULL AND expires_at > ? ORDER BY name',
  )
  const acquire = database.transaction((name: string, { holder, ttlMs, about }: LeaseOptions) => {
    const now = Date.now()
    const row = select.get(name)
    const heldBy = row && row.expires_at > now ? row.holder : null
    if (heldBy !== null && heldBy !== holder) return undefined
    const token = (row?.token ?? 0) + (heldBy === holder ? 0 : 1)
    put.run({ name, holder, token, expires_at: now + ttlMs, replica: replica ?? null, about: about ?? null })
    return { name, token }
  })
  return {
    acquire: (name, options) => acquire.immediate(name, options),
    release: ({ name, token }) => {
      free.run(name, token)
    },
    held: (prefix) =>
      held.all(prefix, Date.now()).map((row) => ({
        name: row.name,
        ...(row.replica !== null && { replica: row.replica }),
        ...(row.about !== null && { about: row.about }),
      })),
    assertHeld: ({ name, token }) => {
      const row = select.get(name)
      // An expired lease still fences until another holder takes it over.
      if (row?.token === token && row.holder !== null) return
      throw new ApiError('FenceLost', `the lease "${name}" was released or taken over; stop and acquire it again`)
    },
  }
}
