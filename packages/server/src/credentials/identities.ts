import type { Clock } from '../base/clock.ts'
import type { SqlRow, SqlStatement, Store } from '../store/store.ts'
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

/** The identities of users at OpenID Connect issuers. */
export interface Identities {
  find(identity: Identity): Promise<LinkedIdentity | undefined>
  of(uid: string): Promise<readonly LinkedIdentity[]>
  /** Links the identity if it is free and the user has none of that issuer; guard the write with `isNotLinkedTo`. */
  linked(identity: Identity, user: SessionUser): SqlStatement
  /** Returns a row when the identity is not linked to this user. After `linked`, that means a conflict. */
  isNotLinkedTo(identity: Identity, uid: string): SqlStatement
  unlinked(identity: Identity): SqlStatement
  /** Records a login with this identity and the roles that the issuer gives. */
  signedIn(identity: Identity, roles: readonly string[], at: number): SqlStatement
  /** Identities that were not used since then and whose roles may still be bound. */
  boundButUnused(since: number, limit: number): Promise<readonly LinkedIdentity[]>
  /** Records that its roles are no longer bound; guard the write with `hasSignedInSince`. */
  unbound(identity: Identity, since: number): SqlStatement
  /** Returns a row when the identity was used since then. */
  hasSignedInSince(identity: Identity, since: number): SqlStatement
}

const columns = 'issuer, subject, uid, user_name, linked_at, signed_in_at, roles'

export function createIdentities(store: Store, clock: Clock): Identities {
  const read = async (statement: SqlStatement) => (await store.sql(statement)).map(toIdentity)
  return {
    find: async ({ issuer, subject }) => {
      const text = `SELECT ${columns} FROM identities WHERE issuer = $1 AND subject = $2`
      return (await read({ text, values: [issuer, subject] }))[0]
    },
    of: (uid) => read({ text: `SELECT ${columns} FROM identities WHERE uid = $1 ORDER BY issuer`, values: [uid] }),
    linked: ({ issuer, subject }, { uid, name }) => ({
      text: `INSERT INTO identities (issuer, subject, uid, user_name, linked_at, roles, bound)
             VALUES ($1, $2, $3, $4, $5, '[]', 0) ON CONFLICT DO NOTHING`,
      values: [issuer, subject, uid, name, clock.now()],
    }),
    isNotLinkedTo: ({ issuer, subject }, uid) => ({
      text: `SELECT 1 AS other WHERE NOT EXISTS (
               SELECT 1 FROM identities WHERE issuer = $1 AND subject = $2 AND uid = $3)`,
      values: [issuer, subject, uid],
    }),
    unlinked: ({ issuer, subject }) => ({
      text: 'DELETE FROM identities WHERE issuer = $1 AND subject = $2',
      values: [issuer, subject],
    }),
    signedIn: ({ issuer, subject }, roles, at) => ({
      text: 'UPDATE identities SET signed_in_at = $3, roles = $4, bound = $5 WHERE issuer = $1 AND subject = $2',
      values: [issuer, subject, at, JSON.stringify(roles), roles.length > 0 ? 1 : 0],
    }),
    boundButUnused: (since, limit) =>
      read({
        text: `SELECT ${columns} FROM identities WHERE bound = 1 AND signed_in_at <= $1 ORDER BY signed_in_at LIMIT ${limit}`,
        values: [since],
      }),
    unbound: ({ issuer, subject }, since) => ({
      text: 'UPDATE identities SET bound = 0 WHERE issuer = $1 AND subject = $2 AND signed_in_at <= $3',
      values: [issuer, subject, since],
    }),
    hasSignedInSince: ({ issuer, subject }, since) => ({
      text: 'SELECT 1 AS signed_in FROM identities WHERE issuer = $1 AND subject = $2 AND signed_in_at > $3',
      values: [issuer, subject, since],
    }),
  }
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
