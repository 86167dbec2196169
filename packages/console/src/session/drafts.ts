import { client, publicApi } from '../server/client.ts'
import { keptDrafts } from './kept-drafts.ts'
import { session } from './session.ts'

/** Unsaved changes of the current user, kept for the life of the tab. Erased at sign-out and when another user signs in. */
const drafts = keptDrafts(sessionStorage)

let known: { readonly session: unknown; readonly uid: Promise<string> } | undefined

/** Read once per sign-in. */
export async function uidOfUser(): Promise<string | undefined> {
  if (known?.session !== session.value) {
    const uid = client
      .call({ method: 'GET', path: `${publicApi}/users/-` })
      .then((profile) => (profile as { readonly uid: string }).uid)
    known = { session: session.value, uid }
    uid.catch(() => (known = undefined))
  }
  return known?.uid.catch(() => undefined)
}

export async function keepDraft(key: string, draft: unknown): Promise<void> {
  const uid = await uidOfUser()
  if (uid !== undefined) drafts.keep(uid, key, draft)
}

export async function keptDraft(key: string): Promise<unknown> {
  const uid = await uidOfUser()
  return uid === undefined ? undefined : drafts.read(uid, key)
}

/** Erases the drafts of a user who used this tab before. */
export async function eraseOthersDrafts(): Promise<void> {
  if (drafts.isEmpty()) return
  const uid = await uidOfUser()
  if (uid !== undefined) drafts.eraseOthers(uid)
}
