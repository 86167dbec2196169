import type { Lineage, Session } from '../history.ts'
import { isPlacedEvent, lineageStart, nameOf, placedFrames, startOf, told } from '../sessions.ts'
import type { Truth } from '../truth.ts'
import type { Validator } from './validator.ts'

/**
 * A stream that resumes from a position repeats nothing before it, and omits nothing between it
 * and the first event.
 */
export const resumable: Validator = (lineage, truth) => [
  ...lineage.sessions.flatMap((session) => [
    ...repeated(lineage, session, truth).map((what) => `${told(lineage, session)}: ${what} came again`),
    ...skippedAtStart(session, truth).map((what) => `${told(lineage, session)}: ${what} was skipped`),
  ]),
  ...takenForSeen(lineage, truth),
]

function repeated(lineage: Lineage, session: Session, truth: Truth): readonly string[] {
  const start = startOf(session)
  const earlier = new Set<number>()
  for (const before of lineage.sessions.slice(0, lineage.sessions.indexOf(session)))
    for (const frame of placedFrames(before)) if (isPlacedEvent(frame)) earlier.add(frame.place.number)
  const isOld = (number: number) => {
    if (earlier.has(number)) return true
    return start !== undefined && (number <= start.number || start.skipped.includes(truth.entry(number)?.id ?? ''))
  }
  return placedFrames(session)
    .filter(isPlacedEvent)
    .filter(({ place }) => isOld(place.number))
    .map(nameOf)
}

function skippedAtStart(session: Session, { between }: Truth): readonly string[] {
  const start = startOf(session)
  const frames = placedFrames(session)
  const [first] = frames
  if (!start || !first || !isPlacedEvent(first)) return []
  const came = new Set(frames.filter(isPlacedEvent).map(({ place }) => place.number))
  return between(start.number, first.place.number)
    .filter(({ number, id }) => !came.has(number) && !start.skipped.includes(id))
    .map(({ number, change }) => `${change.object.metadata.name} version ${change.version} at ${number}`)
}

/** Changes that a position declares as seen were seen, unless the lineage began with it. */
function takenForSeen(lineage: Lineage, { selected }: Truth): readonly string[] {
  const began = lineageStart(lineage)
  if (!began) return []
  const came = new Set(
    lineage.sessions.flatMap((session) =>
      placedFrames(session)
        .filter(isPlacedEvent)
        .map(({ place }) => place.number),
    ),
  )
  const claimed = new Set(lineage.sessions.flatMap((session) => startOf(session)?.skipped ?? []))
  return selected
    .filter(({ number, id }) => claimed.has(id) && number > began.number && !began.skipped.includes(id))
    .filter(({ number }) => !came.has(number))
    .map(({ number }) => `${lineage.reader} (${lineage.selection.name}): ${number} was taken for seen, and never came`)
}
