import type { Lineage, LogPosition, SeenObject, Session } from '../history.ts'
import { isEvent, startOf, told } from '../sessions.ts'
import type { Truth } from '../truth.ts'
import type { Validator } from './validator.ts'

/** The initial state of a reader, from a list or from present objects up to their bookmark, is the state at that position. */
export const initialExact: Validator = (lineage, truth) => [
  ...(lineage.list
    ? differences(new Map(lineage.list.items.map(versionOf)), lineage.list.place, truth).map(
        (what) => `${listed(lineage)}: ${what}`,
      )
    : []),
  ...lineage.sessions.flatMap((session) => {
    const start = startOf(session)
    if (session.start !== 'initial' || !start) return []
    return differences(present(session), start, truth).map((what) => `${told(lineage, session)}: ${what}`)
  }),
]

function listed({ reader, selection, list }: Lineage): string {
  return `${reader} (${selection.name}), list at replica ${list?.replica} with the revision ${list?.place.number}`
}

function versionOf({ metadata: { uid, version } }: SeenObject): readonly [string, number] {
  return [uid, version]
}

function present({ frames }: Session): ReadonlyMap<string, number> {
  const state = new Map<string, number>()
  for (const frame of frames) {
    if (!isEvent(frame)) break
    if (frame.type === 'DELETED') state.delete(frame.object.metadata.uid)
    else state.set(...versionOf(frame.object))
  }
  return state
}

function differences(state: ReadonlyMap<string, number>, place: LogPosition, truth: Truth): readonly string[] {
  const faults: string[] = []
  const expected = truth.stateAt(place)
  for (const [uid, { object, version }] of expected) {
    const found = state.get(uid)
    if (found !== version)
      faults.push(`${object.metadata.name} is at version ${found ?? 'none'} where ${place.number} has ${version}`)
  }
  for (const uid of state.keys()) if (!expected.has(uid)) faults.push(`${uid} is there, and not at ${place.number}`)
  return faults
}
