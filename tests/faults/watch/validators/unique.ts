import { isEvent, told } from '../sessions.ts'
import type { Validator } from './validator.ts'

/** In a stream, no state of an object arrives twice, including the present objects. */
export const unique: Validator = (lineage) =>
  lineage.sessions.flatMap((session) => {
    const faults: string[] = []
    const seen = new Set<string>()
    for (const frame of session.frames) {
      if (!isEvent(frame)) continue
      const { name, uid, version } = frame.object.metadata
      if (seen.has(`${uid}/${version}`))
        faults.push(`${told(lineage, session)}: version ${version} of ${name} came again at ${frame.place?.number}`)
      seen.add(`${uid}/${version}`)
    }
    return faults
  })
