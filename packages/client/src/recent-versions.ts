import type { ApiObject } from '@pergola/api'

/** Objects of the latest events; older ones are known to be older by their place alone. */
const maxRemembered = 1_000

/** Tells what is not newer than what came already. */
export interface RecentVersions {
  /** Whether the object is newer than it last was; remembers it then. */
  isNews(object: ApiObject): boolean
  forget(): void
}

export function createRecentVersions(): RecentVersions {
  const versions = new Map<string, number>()
  return {
    isNews: ({ metadata: { uid, version } }) => {
      if (version <= (versions.get(uid) ?? -1)) return false
      versions.delete(uid)
      versions.set(uid, version)
      const [oldest] = versions.size > maxRemembered ? versions.keys() : []
      if (oldest !== undefined) versions.delete(oldest)
      return true
    },
    forget: () => versions.clear(),
  }
}
