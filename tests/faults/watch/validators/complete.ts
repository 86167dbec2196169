import type { Lineage, Operation, Session } from '../history.ts'
import { isPlacedEvent, lastPlace, placedFrames, seenBefore, told, type PlacedEvent } from '../sessions.ts'
import type { SelectedChange, Truth } from '../truth.ts'
import type { Validator } from './validator.ts'

/**
 * Nothing is missing between two frames of a stream, or at the end of a reader that stayed to the end. `resumable` reports
 * events missing between a start position and the first event, `bookmarkTrue` reports events
 * skipped by a bookmark.
 */
export function complete(operations: readonly Operation[]): Validator {
  return (lineage, truth) => [
    ...lineage.sessions.flatMap((session) =>
      missingBetween(session, truth).map((what) => `${told(lineage, session)}: ${what} is missing`),
    ),
    ...missingAtEnd(lineage, truth),
    ...missingSinceNow(lineage, { truth, operations }),
  ]
}

function missingBetween(session: Session, { between }: Truth): readonly string[] {
  const frames = placedFrames(session)
  const came = new Set(frames.filter(isPlacedEvent).map(({ place }) => place.number))
  const before = seenBefore(session)
  const missing: SelectedChange[] = []
  let reached = frames[0]?.place.number ?? 0
  for (const frame of frames.slice(1)) {
    const { number } = frame.place
    if (isPlacedEvent(frame)) missing.push(...between(reached, number))
    reached = Math.max(reached, number)
  }
  return missing.filter(({ number, id }) => !came.has(number) && !before.includes(id)).map(worded)
}

function missingAtEnd(lineage: Lineage, { between, last: end }: Truth): readonly string[] {
  const last = lineage.sessions.at(-1)
  const place = last && lastPlace(last)
  if (!lineage.settled || !last || !place) return []
  const reached = Math.max(place.number, ...placedFrames(last).map((frame) => frame.place.number))
  return between(reached, end + 1)
    .filter(({ id }) => !place.skipped.includes(id))
    .map((change) => `${told(lineage, last)}: ${worded(change)} never came`)
}

/** A stream without a start revision has all changes of requests sent after it began. */
function missingSinceNow(
  lineage: Lineage,
  { truth, operations }: { readonly truth: Truth; readonly operations: readonly Operation[] },
): readonly string[] {
  const [first] = lineage.sessions
  const openedAt = first?.start === 'now' ? first.openedAt : undefined
  const events = lineage.sessions.flatMap(placedFrames).filter(isPlacedEvent)
  if (!first || openedAt === undefined || (events.length === 0 && !lineage.settled)) return []
  const later = new Set(operations.filter(({ began }) => began > openedAt).map(({ mark }) => mark))
  const before = seenBefore(first)
  return [
    ...truth.between(0, lowest(events)),
    ...truth.between(lowest(events), truth.last + 1).filter(({ id }) => before.includes(id)),
  ]
    .filter((change) => later.has(markOf(change)))
    .map((change) => `${told(lineage, first)}: ${worded(change)} was asked for after it had begun, and is missing`)
}

function lowest(events: readonly PlacedEvent[]): number {
  return Math.min(...events.map(({ place }) => place.number))
}

function markOf({ change: { object } }: SelectedChange): string {
  return String(object.spec['mark'])
}

function worded({ number, change }: SelectedChange): string {
  return `${change.object.metadata.name} version ${change.version} at ${number}`
}
