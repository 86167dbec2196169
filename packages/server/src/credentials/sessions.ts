import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { Outage } from '../store/database-health.ts'
import type { Guard, SqlRow, SqlStatement, Store } from '../store/store.ts'
import type { Proof } from './proof.ts'
import { revoked } from './revocations.ts'
import { digestOf, newSecret } from './secret.ts'

/** A session expires when it is not used for this long. */
export const idleMs = 12 * 3_600_000
/** A session expires after this long, however much it is used. */
export const mostMs = 30 * 24 * 3_600_000
/** More sessions than a user has browsers. */
export const mostOfUser = 50
const spare = 5
/** Usage is recorded at most this often. */
const touchEveryMs = 5 * 60_000

export interface SessionUser {
  readonly uid: string
  readonly name: string
}

export interface Session extends SessionUser {
  readonly id: string
  readonly transport: 'cookie' | 'token'
  readonly createdAt: number
  readonly usedAt: number
  /** Moves with each use. */
  readonly expiresAt: number
  /** The latest possible expiry, however much the session is used. */
  readonly endsAt: number
  readonly address: string
  readonly agent: string
}

export interface NewSession {
  readonly user: SessionUser
  readonly transport: Session['transport']
  readonly address: string
  readonly agent: string
  /** Must still hold when the session begins; absent when no proof is needed. */
  readonly proof?: Proof
  readonly guards?: readonly Guard[]
}

/** The sessions of users, shared by all replicas. Only the holder knows a session's secret. */
export interface Sessions {
  /** Throws `GuardFailed` when the proof no longer holds. Ends the user's oldest sessions when there are too many. */
  begin(session: NewSession): Promise<{ readonly secret: string; readonly session: Session }>
  /** The session with this secret, unless it has expired; the look-up keeps it alive. */
  find(secret: string): Promise<Session | undefined>
  /** Newest first. */
  of(uid: string): Promise<readonly Session[]>
  /** Returns whether the session existed. */
  end(uid: string, id: string): Promise<boolean>
}

const columns = 'id, uid, user_name, transport, created_at, used_at, expires_at, ends_at, address, agent'

export function createSessions(store: Store, clock: Clock): Sessions {
  const read = async (statement: SqlStatement) => (await store.sql(statement)).map(toSession)
  return {
    begin: async ({ user, transport, address, agent, proof, guards = [] }) => {
      const secret = newSecret('pgs_')
      const now = clock.now()
      const id = randomUUID()
      const expiresAt = now + idleMs
      const endsAt = now + mostMs
      const { uid, name } = user
      const kept = {
        text: `INSERT INTO sessions (digest, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
        values: [digestOf(secret), id, uid, name, transport, now, now, expiresAt, endsAt, address, agent],
      }
      const [row] = await store.sql({ text: 'SELECT count(*) AS count FROM sessions WHERE uid = $1', values: [uid] })
      // A few early: other logins of the user may be in flight.
      const isFull = Number(row?.['count']) >= mostOfUser - spare
      await store.write(isFull ? [revoked(clock, uid)] : [], {
        guards: [...guards, ...(proof ? [{ is: 'no row' as const, statement: proof.isGone }] : [])],
        also: [...(proof ? [proof.hold] : []), kept, oldestEnded(uid, id)],
      })
      const times = { createdAt: now, usedAt: now, expiresAt, endsAt }
      return { secret, session: { ...user, id, transport, ...times, address, agent } }
    },
    find: async (secret) => {
      const digest = digestOf(secret)
      const now = clock.now()
      const values = [digest, now]
      const [session] = await read({
        text: `SELECT ${columns} FROM sessions WHERE digest = $1 AND expires_at > $2`,
        values,
      })
      if (session && now - session.usedAt > touchEveryMs) await touch(store, digest, now).catch(unlessOutage)
      return session
    },
    of: (uid) =>
      read({
        text: `SELECT ${columns} FROM sessions WHERE uid = $1 AND expires_at > $2 ORDER BY created_at DESC`,
        values: [uid, clock.now()],
      }),
    end: async (uid, id) => {
      const its = { values: [uid, id] }
      const found = await store.sql({ text: 'SELECT id FROM sessions WHERE uid = $1 AND id = $2', ...its })
      if (found.length === 0) return false
      const ended = { text: 'DELETE FROM sessions WHERE uid = $1 AND id = $2', ...its }
      // In one transaction: a deleted session without a revocation would stay in the caches of other replicas.
      await store.write([revoked(clock, uid)], { also: [ended] })
      return true
    },
  }
}

/** Deletes all but the newest sessions of a user. */
function oldestEnded(uid: string, newest: string): SqlStatement {
  return {
    text: `DELETE FROM sessions WHERE uid = $1 AND id NOT IN (SELECT id FROM sessions WHERE uid = $1
             ORDER BY (id = $2) DESC, created_at DESC, id LIMIT ${mostOfUser})`,
    values: [uid, newest],
  }
}

async function touch(store: Store, digest: string, now: number): Promise<void> {
  const later = 'CASE WHEN ends_at < $3 THEN ends_at ELSE $3 END'
  await store.sql({
    text: `UPDATE sessions SET used_at = $2, expires_at = ${later} WHERE digest = $1`,
    values: [digest, now, now + idleMs],
  })
}

/** A session stays usable while the database can only read. */
function unlessOutage(error: unknown): void {
  if (!(error instanceof Outage)) throw error
}

function toSession(row: SqlRow): Session {
  return {
    id: String(row['id']),
    uid: String(row['uid']),
    name: String(row['user_name']),
    transport: row['transport'] === 'cookie' ? 'cookie' : 'token',
    createdAt: Number(row['created_at']),
    usedAt: Number(row['used_at']),
    expiresAt: Number(row['expires_at']),
    endsAt: Number(row['ends_at']),
    address: String(row['address']),
    agent: String(row['agent']),
  }
}
