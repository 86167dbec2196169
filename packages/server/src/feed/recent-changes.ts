import { revisionExpired } from '../store/revision.ts'
import type { Change, Place } from '../store/store.ts'

export interface RecentLimits {
  readonly count: number
  readonly bytes: number
}

/** The newest changes, so that those who come back after a moment need not read the log. */
export interface RecentChanges {
  add(changes: readonly Change[]): void
  /** Everything behind a place; undefined when some of it is no longer here. */
  since(after: Place): readonly Change[] | undefined
}

export function createRecentChanges(start: Place, { count, bytes }: RecentLimits): RecentChanges {
  /** The place before the first change that is here. */
  let floor = start
  let changes: Change[] = []
  let held = 0
  const trim = () => {
    let dropped = 0
    while (held > bytes || changes.length - dropped > count) held -= changes[dropped++]?.object.data.length ?? 0
    // Seldom, and then a good part at once: moving what stays is what costs.
    if (dropped > 0) floor = changes[dropped - 1]?.place ?? floor
    changes = dropped > 0 ? changes.slice(dropped) : changes
  }
  return {
    add: (added) => {
      for (const change of added) held += change.object.data.length
      changes.push(...added)
      if (held > bytes || changes.length > count * 1.25) trim()
    },
    since: (after) => {
      const behind = after.number - floor.number
      if (behind < 0 || behind > changes.length) return undefined
      const known = behind === 0 ? floor : changes[behind - 1]?.place
      if (known?.tag !== after.tag) throw revisionExpired()
      return changes.slice(behind)
    },
  }
}
