import { isEvent, told } from '../sessions.ts'
import type { Validator } from './validator.ts'

/** In a stream, numbers and versions of an object increase. Duplicates are ignored here. */
export const ordered: Validator = (lineage) =>
  lineage.sessions.flatMap((session) => {
    const faults: string[] = []
    const versions = new Map<string, number>()
    let highest = 0
    for (const frame of session.frames) {
      if (!isEvent(frame)) continue
      const { name, uid, version } = frame.object.metadata
      const number = frame.place?.number ?? highest
      if (number < highest)
        faults.push(`${told(lineage, session)}: ${number} (${name}, version ${version}) came behind ${highest}`)
      if (version < (versions.get(uid) ?? 0))
        faults.push(`${told(lineage, session)}: version ${version} of ${name} came behind ${versions.get(uid)}`)
      highest = Math.max(highest, number)
      versions.set(uid, Math.max(version, versions.get(uid) ?? 0))
    }
    return faults
  })
