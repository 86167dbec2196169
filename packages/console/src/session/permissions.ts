import { isApiError } from '@pergola/client'
import { shallowRef, watchEffect } from 'vue'
import { client, publicApi } from '../server/client.ts'
import { noteAnswer, noteFailure } from '../server/connection.ts'
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

let text = ''

export async function readPermissions(): Promise<void> {
  try {
    const read = (await client.call({ method: 'GET', path: `${publicApi}/users/-/permissions` })) as Held
    noteAnswer()
    const now = JSON.stringify(read)
    if (now === text) return
    text = now
    answers.clear()
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

/** Cached answers; cleared when roles or permissions change. */
const answers = new Map<string, Promise<boolean>>()
let waiting: { readonly right: NeededRight; readonly answer: (is: boolean) => void }[] = []
const mostAtOnce = 100

/** Whether the API would allow a request. Concurrent questions share one request. */
export async function mayDo(right: NeededRight): Promise<boolean> {
  const key = JSON.stringify([right.verb, right.group, right.resource, right.subresource])
  const known = answers.get(key)
  if (known) return known
  const asked = new Promise<boolean>((answer) => {
    if (waiting.length === 0) queueMicrotask(askAll)
    waiting.push({ right, answer })
  })
  answers.set(key, asked)
  return asked
}

function askAll(): void {
  const all = waiting
  waiting = []
  for (let from = 0; from < all.length; from += mostAtOnce) void askSome(all.slice(from, from + mostAtOnce))
}

async function askSome(some: typeof waiting): Promise<void> {
  const requests = some.map(({ right }) => right)
  try {
    const answer = await client.call({ method: 'POST', path: `${publicApi}/accessreviews`, body: { requests } })
    const { items } = answer as { readonly items: readonly { readonly allowed: boolean }[] }
    some.forEach((one, at) => one.answer(items[at]?.allowed ?? false))
  } catch {
    // Not cached: asked again with the next question. Until then, the buttons stay hidden.
    answers.clear()
    for (const { answer } of some) answer(false)
  }
}
