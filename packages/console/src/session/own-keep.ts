import { uidOfUser } from './drafts.ts'

/** What the signed-in user keeps in this browser. Belongs to the uid, because a user name may be reassigned. */
export async function readOwn(key: string): Promise<unknown> {
  const uid = await uidOfUser()
  return uid === undefined ? undefined : readAt(placeOf(uid, key))
}

/** Reads and writes without a pause between, so that no concurrent change is lost. */
export async function changeOwn(key: string, change: (before: unknown) => unknown): Promise<void> {
  const uid = await uidOfUser()
  if (uid === undefined) return
  const place = placeOf(uid, key)
  localStorage.setItem(place, JSON.stringify(change(readAt(place))))
}

function readAt(place: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(place) ?? 'null') ?? undefined
  } catch {
    // Invalid content counts as none; the next write replaces it.
    return undefined
  }
}

function placeOf(uid: string, key: string): string {
  return `pergola.of.${uid}.${key}`
}
