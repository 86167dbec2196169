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

/** Who is signed in; `null` when nobody is, nothing before that is known. */
export const session = shallowRef<{ readonly username: string } | null>()
/** Nobody administers this installation yet. */
export const needsSetup = ref(false)
/** The session of the user has ended while the console was open: the page stays, with what was typed, below a question. */
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

/** As the same user, without leaving the page. */
export async function signInAgain(password: string): Promise<void> {
  const username = session.value?.username ?? ''
  await client.call({ method: 'POST', path: '/auth/sessions', body: { username, password } })
  hasEnded.value = false
}

export async function signOut(): Promise<void> {
  await client.call({ method: 'DELETE', path: '/auth/sessions/-' })
  leave()
}

/** With everything that was read and typed as this user. */
export function leave(): void {
  sessionStorage.clear()
  location.assign('/console')
}
