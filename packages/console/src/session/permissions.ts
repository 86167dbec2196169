import { isApiError } from '@pergola/client'
import { shallowRef, watchEffect } from 'vue'
import { client, publicApi } from '../server/client.ts'
import { noteAnswer, noteFailure } from '../server/connection.ts'
import { createQuestions } from './questions.ts'
import { endSession, hasEnded, session } from './session.ts'
import type { NeededRight } from 'vue-router'

interface Held {
  readonly roles: readonly { readonly name: string; readonly displayName?: string }[]
  readonly uiPermissions: readonly string[]
}

/** Roles and permissions of the signed-in user. */
export const held = shallowRef<Held>()

/** Polling period. Short, so that a page soon hides what the user may no longer see. */
const everyMs = 3_000

export function holdsAll(permissions: readonly string[] | undefined): boolean {
  if (permissions === undefined || permissions.length === 0) return true
  if (held.value === undefined) return false
  const { roles, uiPermissions } = held.value
  if (roles.some(({ name }) => name === 'super-administrator')) return true
  return permissions.every((permission) => uiPermissions.includes(permission))
}

/** Whether the signed-in user holds a role template, as a page imports it from its plugin. */
export function holds({ uiPermissions }: { readonly uiPermissions?: readonly string[] | undefined }): boolean {
  return holdsAll(uiPermissions)
}

let text = ''

export async function readPermissions(): Promise<void> {
  try {
    const read = (await client.call({ method: 'GET', path: `${publicApi}/users/-/permissions` })) as Held
    noteAnswer()
    const now = JSON.stringify(read)
    if (now === text) return
    text = now
    questions.forget()
    held.value = read
  } catch (error) {
    if (!noteFailure(error) && isApiError(error) && error.reason === 'Unauthenticated') endSession()
  }
}

watchEffect((onCleanup) => {
  if (!session.value || hasEnded.value) return
  void readPermissions()
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') void readPermissions()
  }, everyMs)
  const onReturn = () => void readPermissions()
  document.addEventListener('visibilitychange', onReturn)
  onCleanup(() => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', onReturn)
  })
})

const questions = createQuestions(async (requests) => {
  const answer = await client.call({ method: 'POST', path: `${publicApi}/accessreviews`, body: { requests } })
  return (answer as { readonly items: readonly { readonly allowed: boolean }[] }).items.map(({ allowed }) => allowed)
})

/** Whether the API would allow a request. */
export async function mayDo(right: NeededRight): Promise<boolean> {
  return questions.ask(right)
}
