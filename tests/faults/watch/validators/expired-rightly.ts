import { placedFrames, startOf, told } from '../sessions.ts'
import type { Validator } from './validator.ts'

/** A reader gets 410 only if its revision has expired. */
export const expiredRightly: Validator = (lineage, truth) =>
  lineage.sessions.flatMap((session) => {
    const error = session.frames.find((frame) => frame.type === 'ERROR' && frame.status === 410)
    if (!error) return []
    const place = placedFrames(session).findLast(({ type }) => type !== 'ERROR')?.place ?? startOf(session)
    const floor = truth.floorAt(error.at)
    // A position is verified by its own row.
    if (place === undefined || place.number < floor) return []
    return [`${told(lineage, session)}: ${place.number} was said to be gone; the log began at ${floor}`]
  })
