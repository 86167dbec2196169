import type { Frame, Lineage, Place, Session } from './history.ts'

type EventFrame = Extract<Frame, { object: unknown }>
export type PlacedFrame = Frame & { readonly place: Place }
export type PlacedEvent = EventFrame & { readonly place: Place }

export function isEvent(frame: Frame): frame is EventFrame {
  return frame.type !== 'BOOKMARK' && frame.type !== 'ERROR'
}

export function isPlacedEvent(frame: Frame): frame is PlacedEvent {
  return isEvent(frame) && frame.place !== undefined
}

/** Where a stream began: where it was told to, or behind the present objects. Undefined for one that began anywhere. */
export function startOf(session: Session): Place | undefined {
  if (typeof session.start === 'object') return session.start
  return session.start === 'initial' ? session.frames.find(({ type }) => type === 'BOOKMARK')?.place : undefined
}

/**
 * Changes that had no place yet when a stream began, and belong to what was before it. One that began anywhere says with the
 * first thing it tells what those were.
 */
export function seenBefore(session: Session): readonly string[] {
  const start = session.start === 'now' ? placedFrames(session)[0]?.place : startOf(session)
  return start?.skipped ?? []
}

/** What came behind the start, with its places. */
export function placedFrames(session: Session): readonly PlacedFrame[] {
  const { frames, start } = session
  const from = start === 'initial' ? frames.findIndex(({ type }) => type === 'BOOKMARK') + 1 : 0
  if (start === 'initial' && from === 0) return []
  return frames.slice(from).filter((frame): frame is PlacedFrame => frame.place !== undefined)
}

/** Where its reader goes on from. */
export function lastPlace(session: Session): Place | undefined {
  return session.frames.findLast(({ place }) => place !== undefined)?.place ?? startOf(session)
}

/** Where a lineage began. */
export function lineageStart({ sessions }: Lineage): Place | undefined {
  const [first] = sessions
  return first && startOf(first)
}

/** Says which change is meant. */
export function nameOf({ object, place }: PlacedEvent): string {
  const { name, uid, version } = object.metadata
  return `${name} ${uid} version ${version} at ${place.number}`
}

/** Says which stream is meant. */
export function told(lineage: Lineage, session: Session): string {
  const at = lineage.sessions.indexOf(session) + 1
  const from = typeof session.start === 'object' ? `from ${session.start.number}` : session.start
  return `${lineage.reader} (${lineage.selection.name}), stream ${at} of ${lineage.sessions.length} ${from} at replica ${session.replica} by ${session.transport}`
}
