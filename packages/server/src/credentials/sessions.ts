import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { Outage } from '../store/database-health.ts'
import {
  countSessions,
  deleteOldestSessions,
  deleteSession,
  deleteSessions,
  findSession,
  hasSession,
  insertSession,
  listAllSessions,
  listSessions,
  touchSession,
  type Session,
  type SessionUser,
} from '../store/records/sessions.ts'
import type { Guard, Store } from '../store/store.ts'
import type { Proof } from './proof.ts'
import { revoked } from './revocations.ts'
import { digestOf, newSecret } from './secret.ts'

export interface SessionLimits {
  /** A session expires when it is not used for this long. */
  readonly idleMs: number
  /** A session expires after this long, however much it is used. */
  readonly mostMs: number
}

/** More sessions than a user has browsers. */
export const mostOfUser = 50
const spare = 5
/** Usage is recorded at most this often, and five times before a session expires. */
const touchEveryMs = 5 * 60_000

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
  /** Of all users, last used first. */
  all(limit: number): Promise<readonly Session[]>
  /** Returns whether the session existed. */
  end(uid: string, id: string): Promise<boolean>
  /** Ends all sessions of the user. */
  endAll(uid: string): Promise<void>
}

export function createSessions(store: Store, clock: Clock, { idleMs, mostMs }: SessionLimits): Sessions {
  const touchMs = Math.min(touchEveryMs, idleMs / 5)
  /** Sessions store the limits of their time; shorter ones count at once. */
  const limited = (session: Session): Session => {
    const { usedAt, createdAt, expiresAt } = session
    return { ...session, expiresAt: Math.min(expiresAt, usedAt + idleMs, createdAt + mostMs) }
  }
  const living = (stored: readonly Session[]) => stored.map(limited).filter(({ expiresAt }) => expiresAt > clock.now())
  return {
    begin: async ({ user, transport, address, agent, proof, guards = [] }) => {
      const secret = newSecret('pgs_')
      const now = clock.now()
      const { uid, name } = user
      const times = { createdAt: now, usedAt: now, expiresAt: now + Math.min(idleMs, mostMs), endsAt: now + mostMs }
      const session = { uid, name, id: randomUUID(), transport, ...times, address, agent }
      // A few early: other logins of the user may be in flight.
      const isFull = (await countSessions(store, uid)) >= mostOfUser - spare
      await store.write(isFull ? [revoked(clock, uid)] : [], {
        guards: [...guards, ...(proof ? [proof.holds] : [])],
        also: [
          ...(proof ? [proof.lock] : []),
          insertSession(digestOf(secret), session),
          deleteOldestSessions(uid, session.id, mostOfUser),
        ],
      })
      return { secret, session }
    },
    find: async (secret) => {
      const digest = digestOf(secret)
      const now = clock.now()
      const stored = await findSession(store, digest, now)
      const session = stored && limited(stored)
      if (!session || session.expiresAt <= now) return undefined
      if (now - session.usedAt > touchMs) {
        await touchSession(store, digest, { at: now, until: now + idleMs }).catch(unlessOutage)
      }
      return session
    },
    of: async (uid) => living(await listSessions(store, uid, clock.now())),
    all: async (limit) => living(await listAllSessions(store, clock.now(), limit)),
    end: async (uid, id) => {
      if (!(await hasSession(store, uid, id))) return false
      // In one transaction: a deleted session without a revocation would stay in the caches of other replicas.
      await store.write([revoked(clock, uid)], { also: [deleteSession(uid, id)] })
      return true
    },
    endAll: async (uid) => {
      await store.write([revoked(clock, uid)], { also: [deleteSessions(uid)] })
    },
  }
}

/** A session stays usable while the database can only read. */
function unlessOutage(error: unknown): void {
  if (!(error instanceof Outage)) throw error
}
