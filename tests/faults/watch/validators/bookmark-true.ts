import type { Session } from '../history.ts'
import { isPlacedEvent, placedFrames, seenBefore, startOf, told } from '../sessions.ts'
import type { Truth } from '../truth.ts'
import type { Validator } from './validator.ts'

/**
 * A bookmark, or the revision in an error, is a position of the log. All events before it have arrived, and none of them
 * arrives after it. Positions never go backwards.
 */
export const bookmarkTrue: Validator = (lineage, truth) =>
  lineage.sessions.flatMap((session) =>
    faultsIn(session, truth).map((what) => `${told(lineage, session)}: the bookmark ${what}`),
  )

function faultsIn(session: Session, truth: Truth): readonly string[] {
  const faults: string[] = []
  const start = startOf(session)
  const before = seenBefore(session)
  const came = new Set<number>()
  let marked: number | undefined
  let reached = start?.number
  if (session.start === 'initial' && start) {
    marked = start.number
    faults.push(...wrongTag(start.number, start.tag, truth))
  }
  for (const frame of placedFrames(session)) {
    const { number, tag } = frame.place
    if (isPlacedEvent(frame)) {
      if (marked !== undefined && number <= marked && !came.has(number))
        faults.push(`${marked} came before the change at ${number}`)
      came.add(number)
    } else {
      faults.push(...wrongTag(number, tag, truth))
      if (reached !== undefined && number < reached) faults.push(`${number} came behind ${reached}`)
      for (const change of truth.between(reached ?? number, number + 1))
        if (!came.has(change.number) && !before.includes(change.id))
          faults.push(`${number} came without the change at ${change.number}`)
      marked = Math.max(marked ?? 0, number)
    }
    reached = Math.max(reached ?? 0, number)
  }
  return faults
}

function wrongTag(number: number, tag: string, truth: Truth): readonly string[] {
  const entry = truth.entry(number)
  if (number > truth.last) return [`${number} lies behind the end of the log`]
  return entry && entry.tag !== tag ? [`${number} has the tag ${tag} instead of ${entry.tag}`] : []
}
