import type { Seen } from './readers.ts'

export interface Verdict {
  readonly reader: string
  readonly events: number
  readonly lost: number
  readonly duplicated: number
  /** Changes that came after a later change of the same object. */
  readonly reordered: number
}

/** Compares the changes that a reader got with the committed ones: the versions of each object, counted from 0. */
export function judge(reader: string, seen: readonly Seen[], committed: ReadonlyMap<string, number>): Verdict {
  const versions = new Map<string, { last: number; known: Set<number> }>()
  let duplicated = 0
  let reordered = 0
  for (const { uid, version } of seen) {
    const object = versions.get(uid) ?? { last: -1, known: new Set<number>() }
    versions.set(uid, object)
    if (object.known.has(version)) duplicated++
    else if (version < object.last) reordered++
    object.known.add(version)
    object.last = Math.max(object.last, version)
  }
  let lost = 0
  for (const [uid, count] of committed) lost += count - (versions.get(uid)?.known.size ?? 0)
  return { reader, events: seen.length, lost, duplicated, reordered }
}

export const isClean = ({ lost, duplicated, reordered }: Verdict): boolean => lost + duplicated + reordered === 0
