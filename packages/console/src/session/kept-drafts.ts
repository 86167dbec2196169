const place = 'pergola.drafts'

interface Kept {
  readonly uid: string
  readonly drafts: Readonly<Record<string, unknown>>
}

/** Drafts of one user in the storage of the tab. They belong to a uid, because a user name may be reassigned. */
export interface KeptDrafts {
  readonly read: (uid: string, key: string) => unknown
  /** Undefined removes the draft. */
  readonly keep: (uid: string, key: string, draft: unknown) => void
  readonly isEmpty: () => boolean
  /** Erases the drafts of every other user. */
  readonly eraseOthers: (uid: string) => void
}

export function keptDrafts(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): KeptDrafts {
  const all = (): Kept | undefined => {
    try {
      return (JSON.parse(storage.getItem(place) ?? 'null') as Kept | null) ?? undefined
    } catch {
      // Invalid content counts as none; the next write replaces it.
      return undefined
    }
  }
  const draftsOf = (uid: string) => {
    const kept = all()
    return kept?.uid === uid ? kept.drafts : {}
  }
  return {
    read: (uid, key) => draftsOf(uid)[key],
    keep: (uid, key, draft) => {
      const { [key]: _, ...others } = draftsOf(uid)
      const next: Kept = { uid, drafts: draft === undefined ? others : { ...others, [key]: draft } }
      try {
        storage.setItem(place, JSON.stringify(next))
      } catch {
        // The storage is full: the draft exists only on the page.
      }
    },
    isEmpty: () => storage.getItem(place) === null,
    eraseOthers: (uid) => {
      if (all()?.uid !== uid) storage.removeItem(place)
    },
  }
}
