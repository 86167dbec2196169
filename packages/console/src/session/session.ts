import { ref, shallowRef } from 'vue'
import { client } from '../server/client.ts'

export interface Session {
  readonly id: string
  readonly username: string
  readonly current: boolean
  readonly createdAt: string
  readonly usedAt: string
  readonly expiresAt: string
  readonly address: string
  readonly agent: string
}

/** The signed-in user; `null` if nobody is signed in, undefined until known. */
export const session = shallowRef<{ readonly username: string } | null>()
/** No administrator exists yet. */
export const needsSetup = ref(false)
/** The session has expired or been revoked: a dialog over the page asks the user to sign in again. */
export const hasEnded = ref(false)

export async function readSession(): Promise<void> {
  const begin = await client.call({ method: 'GET', path: '/auth/setup' })
  const { needed, username } = begin as { readonly needed: boolean; readonly username?: string }
  needsSetup.value = needed
  session.value = username === undefined ? null : { username }
}

export function endSession(): void {
  if (session.value) hasEnded.value = true
}

export async function signIn(username: string, password: string): Promise<void> {
  await client.call({ method: 'POST', path: '/auth/sessions', body: { username, password } })
  await readSession()
}

/** Signs the same user in again without leaving the page. */
export async function signInAgain(password: string): Promise<void> {
  const username = session.value?.username ?? ''
  await client.call({ method: 'POST', path: '/auth/sessions', body: { username, password } })
  hasEnded.value = false
}

/**
 * Continues on this page if the browser has a session of the same user again, for example after a sign-in in another tab.
 * Returns the user name of the session.
 */
export async function goOn(): Promise<string | undefined> {
  const { username } = (await client.call({ method: 'GET', path: '/auth/setup' })) as { readonly username?: string }
  if (username !== undefined && username === session.value?.username) hasEnded.value = false
  return username
}

export async function signOut(): Promise<void> {
  await client.call({ method: 'DELETE', path: '/auth/sessions/-' })
  leave()
}

/** Erases drafts and reloads, which drops all cached data of this user. */
export function leave(): void {
  sessionStorage.clear()
  location.assign('/console')
}
