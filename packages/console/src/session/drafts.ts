import { client, publicApi } from '../server/client.ts'
import { session } from './session.ts'

/** Unsaved changes of the current user, kept for the life of the tab. Erased at sign-out and when another user signs in. */
const place = 'pergola.drafts'

interface Kept {
  readonly uid: string
  readonly drafts: Readonly<Record<string, unknown>>
}

let known: { readonly username: string; readonly uid: Promise<string> } | undefined

/** Drafts belong to a uid, because a user name may be reassigned. */
async function uidOfUser(): Promise<string> {
  const username = session.value?.username ?? ''
  if (known?.username !== username) {
    const uid = client
      .call({ method: 'GET', path: `${publicApi}/users/-` })
      .then((profile) => (profile as { readonly uid: string }).uid)
    known = { username, uid }
    uid.catch(() => (known = undefined))
  }
  return known.uid
}

function read(uid: string): Kept {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? 'null') as Kept | null
    if (kept?.uid === uid) return kept
  } catch {
    // Ignores invalid content; the next write replaces it.
  }
  return { uid, drafts: {} }
}

export async function keepDraft(key: string, draft: unknown): Promise<void> {
  const uid = await uidOfUser().catch(() => undefined)
  if (uid === undefined) return
  const { drafts } = read(uid)
  const { [key]: _, ...others } = drafts
  const next: Kept = { uid, drafts: draft === undefined ? others : { ...others, [key]: draft } }
  try {
    sessionStorage.setItem(place, JSON.stringify(next))
  } catch {
    // The storage is full: the draft exists only on the page.
  }
}

export async function keptDraft(key: string): Promise<unknown> {
  const uid = await uidOfUser().catch(() => undefined)
  return uid === undefined ? undefined : read(uid).drafts[key]
}
