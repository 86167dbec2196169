import { sql, statement, type SqlRow, type SqlStatement } from '../sql.ts'
import type { Guard, Store } from '../store.ts'
import type { SessionUser } from './sessions.ts'

/** A user's identity at an issuer. Unlike names and e-mail addresses, it is never reassigned to another person. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

export interface LinkedIdentity extends Identity, SessionUser {
  readonly linkedAt: number
  /** The last login with this identity. */
  readonly signedInAt?: number
  /** The roles that the issuer gave at that login. */
  readonly roles: readonly string[]
}

const columns = 'issuer, subject, uid, user_name, linked_at, signed_in_at, roles'
const its = 'issuer = $1 AND subject = $2'

export async function findIdentity(store: Store, { issuer, subject }: Identity): Promise<LinkedIdentity | undefined> {
  return (await read(store, `WHERE ${its}`, [issuer, subject]))[0]
}

export function listIdentities(store: Store, uid: string): Promise<readonly LinkedIdentity[]> {
  return read(store, 'WHERE uid = $1 ORDER BY issuer', [uid])
}

/** Identities that were not used since then and whose roles may still be bound. */
export function unusedBoundIdentities(store: Store, since: number, limit: number): Promise<readonly LinkedIdentity[]> {
  return read(store, `WHERE bound = 1 AND signed_in_at <= $1 ORDER BY signed_in_at LIMIT ${limit}`, [since])
}

/** Does nothing when the identity is linked or the user has one of that issuer; guard the write with `identityBelongsTo`. */
export function insertIdentity({ issuer, subject }: Identity, { uid, name }: SessionUser, at: number): SqlStatement {
  return statement(
    `INSERT INTO identities (issuer, subject, uid, user_name, linked_at, roles, bound)
     VALUES ($1, $2, $3, $4, $5, '[]', 0) ON CONFLICT DO NOTHING`,
    [issuer, subject, uid, name, at],
  )
}

export function identityBelongsTo({ issuer, subject }: Identity, uid: string): Guard {
  const text = `SELECT 1 AS other WHERE NOT EXISTS (SELECT 1 FROM identities WHERE ${its} AND uid = $3)`
  return { is: 'no row', statement: statement(text, [issuer, subject, uid]) }
}

export function lockIdentity({ issuer, subject }: Identity, uid: string): SqlStatement {
  return statement(`UPDATE identities SET linked_at = linked_at WHERE ${its} AND uid = $3`, [issuer, subject, uid])
}

/** Records a login with this identity and the roles that the issuer gives. */
export function recordLogin({ issuer, subject }: Identity, roles: readonly string[], at: number): SqlStatement {
  return statement(`UPDATE identities SET signed_in_at = $3, roles = $4, bound = $5 WHERE ${its}`, [
    issuer,
    subject,
    at,
    JSON.stringify(roles),
    roles.length > 0 ? 1 : 0,
  ])
}

/** Records that its roles are no longer bound; guard the write with `identityUnusedSince`. */
export function recordUnbound({ issuer, subject }: Identity, since: number): SqlStatement {
  return statement(`UPDATE identities SET bound = 0 WHERE ${its} AND signed_in_at <= $3`, [issuer, subject, since])
}

export function identityUnusedSince({ issuer, subject }: Identity, since: number): Guard {
  const text = `SELECT 1 AS signed_in FROM identities WHERE ${its} AND signed_in_at > $3`
  return { is: 'no row', statement: statement(text, [issuer, subject, since]) }
}

export function deleteIdentity({ issuer, subject }: Identity): SqlStatement {
  return statement(`DELETE FROM identities WHERE ${its}`, [issuer, subject])
}

export function deleteIdentities(uid: string): SqlStatement {
  return statement('DELETE FROM identities WHERE uid = $1', [uid])
}

async function read(
  store: Store,
  where: string,
  values: readonly (string | number)[],
): Promise<readonly LinkedIdentity[]> {
  return (await store[sql](statement(`SELECT ${columns} FROM identities ${where}`, values))).map(toIdentity)
}

function toIdentity(row: SqlRow): LinkedIdentity {
  const { signed_in_at: signedInAt } = row
  return {
    issuer: String(row['issuer']),
    subject: String(row['subject']),
    uid: String(row['uid']),
    name: String(row['user_name']),
    linkedAt: Number(row['linked_at']),
    ...(signedInAt !== null && { signedInAt: Number(signedInAt) }),
    roles: JSON.parse(String(row['roles'])) as readonly string[],
  }
}
