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

export async function readSession(): Promise<void> {
  const begin = await client.call({ method: 'GET', path: '/auth/setup' })
  const { needed, username } = begin as { readonly needed: boolean; readonly username?: string }
  needsSetup.value = needed
  session.value = username === undefined ? null : { username }
}

export async function signIn(username: string, password: string): Promise<void> {
  await client.call({ method: 'POST', path: '/auth/sessions', body: { username, password } })
  await readSession()
}

export async function signOut(): Promise<void> {
  await client.call({ method: 'DELETE', path: '/auth/sessions/-' })
  // With everything that was read as this user.
  location.assign('/console')
}
