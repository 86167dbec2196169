import type { ApiObject } from '@pergola/api'

/** Objects remembered; the least recently seen is dropped first. Older events are excluded by their revision. */
const maxRemembered = 1_000

/** Filters duplicate and outdated events. */
export interface RecentVersions {
  /** True, and remembers the version, when it is newer than the last known version of the object. */
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
