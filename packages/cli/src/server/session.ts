import { isApiError } from '@pergola/api'
import type { Client } from '@pergola/client'

/** Every change under `/auth/` must come from a page of the server itself, which a command is as good as. */
const sameSite = { 'sec-fetch-site': 'same-origin' }

export interface HeldRole {
  readonly name: string
  /** The rolebinding that gives it; what everybody holds has none. */
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

/** False when the server has ended it before. */
export async function endSession(client: Client): Promise<boolean> {
  try {
    await client.call({ method: 'DELETE', path: '/auth/sessions/-', headers: sameSite })
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

/** Those that somebody was given, without what everybody has. */
export function givenRoles(roles: readonly HeldRole[]): readonly HeldRole[] {
  return roles.filter(({ binding }) => binding !== undefined)
}

export interface Identity {
  /** Undefined where a token tells nothing of its owner. */
  readonly username?: string
  readonly kind: 'session' | 'token'
  /** Of a session. */
  readonly expiresAt?: string
}

/** Who a token stands for. */
export async function identityOf(client: Client, token: string): Promise<Identity> {
  if (token.startsWith('pgs_')) {
    const { items } = (await client.call({ method: 'GET', path: '/auth/sessions' })) as {
      readonly items: readonly { readonly username: string; readonly expiresAt: string; readonly current: boolean }[]
    }
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
