import type { Lineage, TakenList } from '../history.ts'
import { isEvent } from '../sessions.ts'
import type { Validator } from './validator.ts'

/** At rest, the state of a reader equals the list of the API, which `listed` returns by selection name. */
export function stateTrue(listed: ReadonlyMap<string, TakenList>): Validator {
  return (lineage) => {
    const list = listed.get(lineage.selection.name)
    const begun = lineage.list !== undefined || lineage.sessions[0]?.start === 'initial'
    if (!lineage.settled || !list || !begun) return []
    const state = replayed(lineage)
    const who = `${lineage.reader} (${lineage.selection.name})`
    const faults: string[] = []
    for (const { metadata } of list.items) {
      const found = state.get(metadata.uid)
      if (found !== metadata.version)
        faults.push(`${who} ends with ${metadata.name} at version ${found ?? 'none'}; listed is ${metadata.version}`)
      state.delete(metadata.uid)
    }
    for (const uid of state.keys()) faults.push(`${who} ends with ${uid}, which is not listed`)
    return faults
  }
}

function replayed({ list, sessions }: Lineage): Map<string, number> {
  const state = new Map((list?.items ?? []).map(({ metadata: { uid, version } }) => [uid, version]))
  for (const { frames } of sessions) {
    for (const frame of frames) {
      if (!isEvent(frame)) continue
      const { uid, version } = frame.object.metadata
      if (frame.type === 'DELETED') state.delete(uid)
      else state.set(uid, version)
    }
  }
  return state
}
