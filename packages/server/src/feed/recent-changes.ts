import { revisionExpired } from '../store/revision.ts'
import type { Change, LogPosition } from '../store/store.ts'

export interface RecentLimits {
  readonly count: number
  readonly bytes: number
}

/** The newest changes, so that readers who return after a moment need not read the log. */
export interface RecentChanges {
  add(changes: readonly Change[]): void
  /** The changes after a position; undefined when some are no longer in memory. */
  since(after: LogPosition): readonly Change[] | undefined
}

export function createRecentChanges(start: LogPosition, { count, bytes }: RecentLimits): RecentChanges {
  /** The position before the first change in memory. */
  let floor = start
  let changes: Change[] = []
  let held = 0
  const trim = () => {
    let dropped = 0
    while (held > bytes || changes.length - dropped > count) held -= changes[dropped++]?.object.data.length ?? 0
    // Trimmed rarely and in large parts, because moving the rest is what costs.
    if (dropped > 0) floor = changes[dropped - 1]?.position ?? floor
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
      const known = behind === 0 ? floor : changes[behind - 1]?.position
      if (known?.tag !== after.tag) throw revisionExpired()
      return changes.slice(behind)
    },
  }
}
