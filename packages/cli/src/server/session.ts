import { isApiError } from '@pergola/api'
import type { Client } from '@pergola/client'

/** `/auth/` accepts writes only from the same origin, to prevent CSRF; the CLI counts as same-origin. */
const sameSite = { 'sec-fetch-site': 'same-origin' }

export interface HeldRole {
  readonly name: string
  /** Role binding that grants the role; absent for roles that everybody has. */
  readonly binding?: string
}

export interface SignedIn {
  readonly username: string
  readonly token: string
  readonly expiresAt: string
}

export async function beginSession(
  client: Client,
  login: { readonly username: string; readonly password: string },
): Promise<SignedIn> {
  const body = { ...login, transport: 'token' }
  return (await client.call({ method: 'POST', path: '/auth/sessions', headers: sameSite, body })) as SignedIn
}

export interface ListedSession {
  readonly id: string
  readonly username: string
  readonly createdAt: string
  readonly usedAt: string
  readonly expiresAt: string
  readonly address: string
  readonly agent: string
  /** Whether the request was made with it. */
  readonly current?: boolean
}

export async function ownSessions(client: Client): Promise<{ readonly items: readonly ListedSession[] }> {
  return (await client.call({ method: 'GET', path: '/auth/sessions' })) as { readonly items: readonly ListedSession[] }
}

export async function endOwnSession(client: Client, id: string): Promise<void> {
  await client.call({ method: 'DELETE', path: `/auth/sessions/${encodeURIComponent(id)}`, headers: sameSite })
}

/** Returns false when the session had already ended. */
export async function endSession(client: Client): Promise<boolean> {
  try {
    await endOwnSession(client, '-')
    return true
  } catch (error) {
    if (isApiError(error) && (error.status === 401 || error.status === 404)) return false
    throw error
  }
}

export async function heldRoles(client: Client): Promise<readonly HeldRole[]> {
  const path = '/apis/api.platform.run/v1alpha1/users/-/permissions'
  const { roles } = (await client.call({ method: 'GET', path })) as { readonly roles: readonly HeldRole[] }
  return roles
}

/** Roles granted by a role binding. */
export function givenRoles(roles: readonly HeldRole[]): readonly HeldRole[] {
  return roles.filter(({ binding }) => binding !== undefined)
}

export interface Identity {
  /** Undefined when the token does not reveal its owner. */
  readonly username?: string
  readonly kind: 'session' | 'token'
  /** Expiry of a session. */
  readonly expiresAt?: string
}

/** Identifies the owner of a token. */
export async function identityOf(client: Client, token: string): Promise<Identity> {
  if (token.startsWith('pgs_')) {
    const { items } = await ownSessions(client)
    const own = items.find(({ current }) => current)
    return { kind: 'session', ...(own && { username: own.username, expiresAt: own.expiresAt }) }
  }
  const path = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
  const { items } = (await client.call({ method: 'GET', path })) as {
    readonly items: readonly { readonly spec: { readonly owner: string } }[]
  }
  const [first] = items
  return { kind: 'token', ...(first && { username: first.spec.owner }) }
}
