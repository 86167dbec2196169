import { sql, statement, type SqlRow, type SqlStatement } from '../sql.ts'
import type { Guard, Store } from '../store.ts'

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

const columns = 'id, uid, user_name, transport, created_at, used_at, expires_at, ends_at, address, agent'
const ofUser = 'uid = $1 AND id = $2'

export function insertSession(digest: string, session: Session): SqlStatement {
  const { id, uid, name, transport, createdAt, usedAt, expiresAt, endsAt, address, agent } = session
  return statement(`INSERT INTO sessions (digest, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, [
    digest,
    id,
    uid,
    name,
    transport,
    createdAt,
    usedAt,
    expiresAt,
    endsAt,
    address,
    agent,
  ])
}

export async function findSession(store: Store, digest: string, now: number): Promise<Session | undefined> {
  const text = `SELECT ${columns} FROM sessions WHERE digest = $1 AND expires_at > $2`
  return (await store[sql](statement(text, [digest, now]))).map(toSession)[0]
}

/** Newest first. */
export async function listSessions(store: Store, uid: string, now: number): Promise<readonly Session[]> {
  const text = `SELECT ${columns} FROM sessions WHERE uid = $1 AND expires_at > $2 ORDER BY created_at DESC`
  return (await store[sql](statement(text, [uid, now]))).map(toSession)
}

/** Of all users, last used first. */
export async function listAllSessions(store: Store, now: number, limit: number): Promise<readonly Session[]> {
  const text = `SELECT ${columns} FROM sessions WHERE expires_at > $1 ORDER BY used_at DESC, id LIMIT $2`
  return (await store[sql](statement(text, [now, limit]))).map(toSession)
}

export async function countSessions(store: Store, uid: string): Promise<number> {
  const [row] = await store[sql](statement('SELECT count(*) AS count FROM sessions WHERE uid = $1', [uid]))
  return Number(row?.['count'])
}

export async function hasSession(store: Store, uid: string, id: string): Promise<boolean> {
  return (await store[sql](statement(`SELECT id FROM sessions WHERE ${ofUser}`, [uid, id]))).length > 0
}

export function sessionExists(uid: string, id: string): Guard {
  const text = `SELECT 1 AS gone WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE ${ofUser})`
  return { is: 'no row', statement: statement(text, [uid, id]) }
}

export function lockSession(uid: string, id: string): SqlStatement {
  return statement(`UPDATE sessions SET used_at = used_at WHERE ${ofUser}`, [uid, id])
}

/** Moves the expiry to `until`, but not beyond the session's end. */
export async function touchSession(
  store: Store,
  digest: string,
  used: { readonly at: number; readonly until: number },
): Promise<void> {
  const expiry = 'CASE WHEN ends_at < $3 THEN ends_at ELSE $3 END'
  const text = `UPDATE sessions SET used_at = $2, expires_at = ${expiry} WHERE digest = $1`
  await store[sql](statement(text, [digest, used.at, used.until]))
}

export function deleteSession(uid: string, id: string): SqlStatement {
  return statement(`DELETE FROM sessions WHERE ${ofUser}`, [uid, id])
}

/** Deletes the sessions of a user, except the one with the given id. */
export function deleteSessions(uid: string, except = ''): SqlStatement {
  return statement('DELETE FROM sessions WHERE uid = $1 AND id <> $2', [uid, except])
}

/** Deletes all but the newest sessions of a user; `newest` is always kept. */
export function deleteOldestSessions(uid: string, newest: string, most: number): SqlStatement {
  return statement(
    `DELETE FROM sessions WHERE uid = $1 AND id NOT IN (SELECT id FROM sessions WHERE uid = $1
       ORDER BY (id = $2) DESC, created_at DESC, id LIMIT ${most})`,
    [uid, newest],
  )
}

export async function deleteExpiredSessions(store: Store, now: number): Promise<void> {
  await store[sql](statement('DELETE FROM sessions WHERE expires_at < $1', [now]))
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
