import type { Frame, Lineage, LogPosition, Session } from './history.ts'

type EventFrame = Extract<Frame, { object: unknown }>
export type PlacedFrame = Frame & { readonly place: LogPosition }
export type PlacedEvent = EventFrame & { readonly place: LogPosition }

export function isEvent(frame: Frame): frame is EventFrame {
  return frame.type !== 'BOOKMARK' && frame.type !== 'ERROR'
}

export function isPlacedEvent(frame: Frame): frame is PlacedEvent {
  return isEvent(frame) && frame.place !== undefined
}

/** Start of a stream: its revision, or after the present objects. Undefined for a stream without a start revision. */
export function startOf(session: Session): LogPosition | undefined {
  if (typeof session.start === 'object') return session.start
  return session.start === 'initial' ? session.frames.find(({ type }) => type === 'BOOKMARK')?.place : undefined
}

/**
 * Changes without a revision at the start of a stream that belong to the time before it. A stream without a start revision
 * lists them in its first frame.
 */
export function seenBefore(session: Session): readonly string[] {
  const start = session.start === 'now' ? placedFrames(session)[0]?.place : startOf(session)
  return start?.skipped ?? []
}

/** Events after the start, with their positions. */
export function placedFrames(session: Session): readonly PlacedFrame[] {
  const { frames, start } = session
  const from = start === 'initial' ? frames.findIndex(({ type }) => type === 'BOOKMARK') + 1 : 0
  if (start === 'initial' && from === 0) return []
  return frames.slice(from).filter((frame): frame is PlacedFrame => frame.place !== undefined)
}

/** Position from which its reader resumes. */
export function lastPlace(session: Session): LogPosition | undefined {
  return session.frames.findLast(({ place }) => place !== undefined)?.place ?? startOf(session)
}

/** Start of a lineage. */
export function lineageStart({ sessions }: Lineage): LogPosition | undefined {
  const [first] = sessions
  return first && startOf(first)
}

/** Label of a change. */
export function nameOf({ object, place }: PlacedEvent): string {
  const { name, uid, version } = object.metadata
  return `${name} ${uid} version ${version} at ${place.number}`
}

/** Label of a stream. */
export function told(lineage: Lineage, session: Session): string {
  const at = lineage.sessions.indexOf(session) + 1
  const from = typeof session.start === 'object' ? `from ${session.start.number}` : session.start
  return `${lineage.reader} (${lineage.selection.name}), stream ${at} of ${lineage.sessions.length} ${from} at replica ${session.replica} by ${session.transport}`
}
